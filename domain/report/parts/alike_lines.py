"""Lines that say the same of several things, as one line that names them all."""

import re
from collections.abc import Iterable, Sequence

from contracts.report.document import Sentence

MAX_NAME_WORDS = 4
"""Limit of what two alike lines may differ in."""
SHARED = 2
"""How many words alike lines share for each word that they differ in."""
_TOKEN = re.compile(r"\w+(?:['’.,-]\w+)*|\W")


def merge_alike(lines: Iterable[Sentence]) -> list[Sentence]:
    """Return lines with those merged that differ in one name: “Roads of Rwanda, Uganda: no length”."""
    groups: list[tuple[list[Sentence], str]] = []
    for line in lines:
        for n, (group, _) in enumerate(groups):
            alike = group[0].marks == line.marks and group[0].notes == line.notes
            if alike and (merged := _merge([each.text for each in [*group, line]])):
                groups[n] = ([*group, line], merged)
                break
        else:
            groups.append(([line], line.text))
    return [group[0].model_copy(update={"text": merged}) for group, merged in groups]


def _merge(texts: Sequence[str]) -> str:
    """Return one text for several that differ in a name alone; empty if they differ in more."""
    tokens = [_TOKEN.findall(text) for text in texts]
    first = tokens[0]
    if all(each == first for each in tokens):
        return texts[0]
    head = _count_shared(tokens)
    tail = min(_count_shared([each[::-1] for each in tokens]), min(map(len, tokens)) - head)
    while _splits_name(first[:head], first[head:]):  # “South Sudan” and “South Africa”
        head -= 2
    while _splits_name(first[len(first) - tail :][::-1], first[: len(first) - tail][::-1]):
        tail -= 2
    names = ["".join(each[head : len(each) - tail]).strip() for each in tokens]
    most = max(_count_words(name) for name in names)
    shared = _count_words(texts[0]) - _count_words(names[0])
    if (
        not all(name[:1].isupper() or name[:1].isdigit() for name in names)
        or most > MAX_NAME_WORDS
        or shared < SHARED * most
    ):
        return ""
    begin, end = "".join(first[:head]), "".join(first[len(first) - tail :])
    return f"{begin}{', '.join(dict.fromkeys(names))}{end}"


def _count_shared(tokens: Sequence[Sequence[str]]) -> int:
    """Return how many tokens all begin with."""
    columns = enumerate(zip(*tokens, strict=False))
    return next((n for n, each in columns if len({*each}) > 1), min(map(len, tokens)))


def _splits_name(before: Sequence[str], after: Sequence[str]) -> bool:
    """Tell whether a word with a capital on either side of a blank is cut off from the other."""
    return (
        before[-1:] == [" "]
        and len(before) > 1
        and before[-2][:1].isupper()
        and bool(after)
        and after[0][:1].isupper()
    )


def _count_words(text: str) -> int:
    return sum(token[0].isalnum() for token in _TOKEN.findall(text))
