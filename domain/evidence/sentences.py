"""Sentences of a page: the whole one around a passage, and what it leans on."""

import re
from collections.abc import Iterator
from itertools import pairwise

from domain.evidence.quotes import Span

REACH = 1_000
"""Characters before and after a passage in which the ends of its sentence are searched."""

ENDS = frozenset(".!?…:;。！？…：；।؟۔”\"'")
"""Characters that end a sentence."""

_LIST_ITEM = r"(?:[-*•‣▪–—·>][ \t]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{2,4})[.)][ \t])"
_LINE_OF_ITS_OWN = r"(?:\||#{1,6}[ \t])"
"""A table row or a heading."""
_LABELLED = r"[ \t]*+[^\W\d_][^\n:.!?;|]{0,90}:[ \t]+\S"
"""The beginning of a labelled line, such as `Area, land, Kenya: 569,140 sq km`."""
_LABEL_CHARS = 100
"""Characters after an offset that are read to decide whether a record's line begins there."""

_BREAK = re.compile(
    r"(?:(?:(?<=\w{4})|(?<=[.,]\d{3})|(?<=[%)\]\"”’»]))\."
    r"|(?<=[a-zß-öø-ÿ]{3})\.(?=[ \t]*+(?:\n|\Z))|[!?])"
    r"[\"'”’»)\]]{0,3}(?:\[\d{1,3}\]){0,9}"
    r"(?=\s|\Z)(?!\s++[a-zß-öø-ÿ])"
    r"|[。！？｡؟।][」』”’）)]{0,3}"
    rf"|^[ \t]*+{_LINE_OF_ITS_OWN}[^\n]*+(?:\n|\Z)"
    rf"|\n(?=[ \t]*+(?:{_LIST_ITEM}|{_LINE_OF_ITS_OWN}))"
    rf"|(?<=\n)(?={_LABELLED})",
    re.MULTILINE,
)
"""A certain sentence end. A dot after a short word is uncertain, since it may belong to an abbreviation."""

_LIKELY_BREAK = re.compile(
    r"[.!?][\"'”’»)\]]{0,3}\s++(?![a-zß-öø-ÿ])|[。！？｡؟।][」』”’）)]{0,3}|\n[ \t]*+(?=\n|[|#])\n?"
)
_BACK = 300
"""Characters before an offset in which a probable beginning of a sentence is searched."""

_AHEAD = 120
"""The end of a sentence is looked for in this many characters after an offset."""
_EDGE = re.compile(r"(?:[.!?。！？｡؟।][\"'”’»)\]」』”’）]{0,3}|[|:])\Z")
"""The end of a sentence or a row, as the last of a text."""
_MARKS_CHARS = 4
"""These marks are looked for in this many characters at the end of a text."""
_ENTRY = re.compile(rf"[ \t]*+(?:{_LINE_OF_ITS_OWN}|{_LIST_ITEM}|{_LABELLED})")
_NEW_PART = re.compile(
    rf"\s*\Z|[ \t]*\n(?=[ \t]*(?:\n|\f|{_LINE_OF_ITS_OWN}|{_LIST_ITEM}|{_LABELLED}))|\s*\f"
)
"""Text after the end of a paragraph, list item or row."""

_ABBREVIATED = re.compile(
    r"\b(?:corp|prof|dept|sept|univ|assoc|approx|bros|capt|gov|evtl|inkl|exkl|bspw|sres|avda)\Z",
    re.IGNORECASE,
)
_ENDS_LINE = re.compile(r"[ \t]{0,40}+(?:\n|\Z)")
_LINE = re.compile(rf"[ \t]{{0,40}}+{_LINE_OF_ITS_OWN}")
_LABEL = re.compile(_LABELLED)
_LONG_LABEL = re.compile(_LABELLED.replace("90", "150"))
"""The same of a line among others: `Income before tax, without gains on investments, FY2010 Q1, quarter to 2010-03-31: 1.38`."""
_ITEM = re.compile(rf"[ \t]{{0,40}}+{_LIST_ITEM}")
_ITEMS = re.compile(rf"^{_ITEM.pattern}", re.MULTILINE)
_ENTRIES = re.compile(
    rf"(?>(?:(?>(?:[ \t]*+\n)+)[ \t]*+(?:{_LIST_ITEM}|\|)[^\n]*+"
    rf"(?>(?:\n(?![ \t]*+(?:\n|\Z|{_LIST_ITEM}|\|))[^\n]++)*))+)"
)
"""The items of a list, or the rows of a table, below the end of a line."""
_MAX_ITEM_LINES = 4
"""Lines of a list item, at most."""


def _compile_words(*languages: str) -> re.Pattern[str]:
    words = "|".join(word for language in languages for word in language.split())
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_TURNING = _compile_words(
    r"not no never nor none neither nobody nothing cannot \w+n['’]t without unless if whether although should would"
    r" could might may deny den(?:y|ies|ied|ying) fals\w+ untrue wrong\w* incorrect\w* myths? believ\w+ beliefs?"
    r" alleg\w+ claim\w* rumou?r\w* hypothe\w+ suppos\w+ assum\w+ imagin\w+ pretend\w* fiction\w* example",
    r"nicht\w* kein\w* nie niemals ohne wenn falls sofern obwohl würden? könnten? sollten? dürften? leugn\w+ bestr[ei]\w+"
    r" falsch\w* irrtum irrtümlich\w* mythos mythen glaub\w+ behaupt\w+ vermut\w+ angeblich\w* annahme\w* angenommen beispiel\w*",
    r"ne n['’]\w+ pas jamais aucune? sans si sinon fau(?:x|sses?) mythes? croi\w+ prétend\w* suppos\w+ hypoth\w+"
    r" pourrai\w+ démen\w+ nier? exemple",
    r"no nunca jamás ningun\w* ningún nada sin fals\w+ mitos? cre(?:e|en|emos|er|encia|encias) sup[ou]\w+ podrían?"
    r" nieg\w+ negar desm\w+ presunt\w+ ejemplo",
    r"non(?!-) mai nessun\w* senza se finto mit[oi] cred\w+ não nunca nenhum\w* sem",
    r"said says? saying according argu\w+ stat(?:e|es|ed|ing) tells? told announc\w+ think\w* expect\w*",
    r"sagt\w* laut zufolge erklär\w+ meint\w* teilte\w* erwart\w+",
    r"selon d['’]après déclar\w+ affirm\w+ dit disent estim\w+",
    r"según dijo dice declar\w+ afirm\w+ asegur\w+ estim\w+ secondo dett[ao] segundo disse",
)
"""Words that can negate, condition, doubt or report what another sentence says."""

_PROSE_END = re.compile(
    r"[.!?][\"'”’»)\]]{0,3}\s+(?=[\"'“‘„«(]{0,2}(?:[A-ZÄÖÜÀ-Þ\d]|[a-z]{1,3}[A-Z]))|[。！？]"
)
"""An end of a sentence in prose: the next one begins with a capital, a figure or a name such as pgBackRest."""
_NO_END = re.compile(
    r"(?:(?<![\w:.,'’])(?:\w|\d{1,2}|(?:[^\W\d]\.)+\s?[^\W\d]|abs|al|art|bzw|ca|cf|co|dr|ed|etc|evtl|fig|ggf|inc|incl|inkl|jr|ltd|max"
    r"|min|mio|mr|mrd|mrs|ms|no|nr|op|pp|prof|rd|sen|st|tel|usf|usw|vgl|vol|vs)|approx|corp|dept|sect)\.\Z",
    re.IGNORECASE,
)
"""A dot that does not end a sentence: of an abbreviation, an initial, an ordinal."""
_BEGINNING = _compile_words(
    "the an? in it but as if so this that these those at of on to for with when while we you they both each not and or from"
    " by such there here then",
    r"die der das eine? im es aber als wenn so dies\w* bei mit von zu auf wir sie er und oder auch doch nicht",
)
"""Words before which a number is no ordinal."""


def end_sentence(text: str, mark: str = "") -> str:
    """Return a sentence with a sign that ends it, and with `mark` before that sign."""
    text = text.rstrip()
    said = text.rstrip(".?!") if mark else text
    told = f"{said}{mark}{text[len(said) :]}"
    return told if told[-1:] in ENDS else f"{told}."


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph of prose; no sentence ends with an abbreviation, initial or ordinal."""
    ends = [m.end() for m in _PROSE_END.finditer(text) if _ends_sentence(text, m)]
    parts = (text[start:end].strip() for start, end in pairwise([0, *ends, len(text)]))
    return [part for part in parts if part]


def _ends_sentence(text: str, end: re.Match[str]) -> bool:
    """Return whether a dot before a blank ends a sentence."""
    before = text[max(end.start() - 12, 0) : end.start() + 1]
    is_number = before[-2:-1].isdigit() and _BEGINNING.match(text, end.end()) is not None
    return is_number or not _NO_END.search(before)


def find_sentence(text: str, start: int, end: int) -> Span:
    """Return the span of the sentences, list items or table rows that a passage touches.

    Line breaks do not end sentences, because documents wrap their lines. If an end is uncertain or further
    away than `REACH`, the span is longer than the sentence, or truncated.
    """
    low, high = max(start - REACH, 0), min(end + REACH, len(text))
    line = text.rfind("\n", low, start) + 1 or low
    if _LINE.match(text, line):
        newline = text.find("\n", end, high)
        return line, newline if newline >= 0 else high
    first = max((at for _, at in _find_breaks(text, low, start)), default=low)
    last = next((at for _, at in _find_breaks(text, max(end - 1, start), high) if at >= end), high)
    first += len(text[first:start]) - len(text[first:start].lstrip())
    return first, max(end, first + len(text[first:last].rstrip()))


def find_likely_start(text: str, at: int, last: int) -> int:
    """Estimate a sentence's start: the nearest break before `at`, or the first break up to `last`; default `at`."""
    low = max(at - _BACK, 0)
    starts = [match.end() for match in _LIKELY_BREAK.finditer(text, low, last)]
    before = [start for start in starts if start <= at] or ([0] if low == 0 else [])
    return before[-1] if before else next(iter(starts), at)


def find_likely_end(text: str, first: int, at: int) -> int:
    """Estimate a sentence's end: the nearest break after `at`, or the last break from `first`; default `at`."""
    high = min(at + _AHEAD, len(text))
    ends = [match.end() for match in _LIKELY_BREAK.finditer(text, first, high)]
    ends += [high] if high == len(text) else []
    behind = next((end for end in ends if end >= at), None)
    return behind or max(ends, default=at)


def mark_cuts(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the marks before and after a part of a text: `…` if it begins or ends within a sentence."""
    before, last = text[max(start - _BACK, 0) : start], text[max(start, end - _BACK) : end]
    begins = not before.strip() or _is_edge(before) or bool(_ENTRY.match(text, start))
    ends = _is_edge(last) or bool(_NEW_PART.match(text[end : end + _BACK]))
    return "" if begins else "… ", "" if ends else " …"


def _is_edge(text: str) -> bool:
    """Return whether a text ends with a sentence, a row, a heading, a paragraph or a page."""
    bare = text.rstrip()
    blank = text[len(bare) :]
    is_heading = bare[bare.rfind("\n") + 1 :].lstrip().startswith("#") and "\n" in blank
    is_parted = blank.count("\n") > 1 or "\f" in blank
    return is_heading or is_parted or bool(_EDGE.search(bare[-_MARKS_CHARS:]))


def _find_paragraph_start(text: str, start: int) -> int:
    """Return where the lines around a sentence begin that no certain end at a line's end divides."""
    low = max(start - REACH, 0)
    before = (at for _, at in _find_breaks(text, low, start) if _is_line_end(text, at))
    first = max(before, default=low)
    return first + len(text[first:start]) - len(text[first:start].lstrip())


def find_lead(text: str, start: int, reach: int) -> str:
    """Return the sentence that introduces the list which a passage is in; empty outside a list."""
    top = _find_paragraph_start(text, start)
    if not _ITEM.match(text, top):
        return ""
    items = [match.start() for match in _ITEMS.finditer(text, max(top - reach, 0), top)]
    for at in reversed(items):
        if text.count("\n", at, top) > _MAX_ITEM_LINES:
            break
        top = at
    end = len(text[:top].rstrip())
    return text[find_sentence(text, max(end - 1, 0), end)[0] : end]


def find_neighbours(text: str, first: int, last: int, most: int) -> Span:
    """Return the span of a sentence and its neighbours, each of at most `most` characters.

    Headings and table rows are not neighbours. If the sentence's own end is uncertain, nothing is added after
    it.
    """
    low = max(first - REACH, 0)
    end = low + len(text[low:first].rstrip())
    if _is_edge(text[low:first]) and not _LINE.match(text, text.rfind("\n", 0, end) + 1):
        first = max(min(find_sentence(text, max(end - 1, 0), end)[0], first), first - most)
    after = text[last : last + REACH]
    start = last + len(after) - len(after.lstrip())
    if _is_edge(text[first:last]) and not _LINE.match(text, start):
        last = min(max(find_sentence(text, start, start + 1)[1], last), last + most)
    return first, last


def introduces(sentence: str) -> bool:
    """Return whether a sentence that ends with a colon reports, negates or conditions what follows."""
    is_open = sentence.rstrip("*_ \n").endswith(":")
    return is_open and bool(_TURNING.search(sentence))


def find_introduced_end(text: str, at: int, most: int) -> int | None:
    """Return the end of the text that a colon introduces: the rest of the paragraph, a list or a table.

    A labelled line introduces only its own value, so the offset itself is returned. Return None if a
    paragraph starts below the colon, as more may follow.
    """
    line = text.find("\n", at, at + most)
    line = min(at + most, len(text)) if line < 0 else line
    if not text[at:line].strip():
        entries = _ENTRIES.match(text, line, at + most)
        return entries.end() if entries else None
    first = text.rfind("\n", max(at - most, 0), at) + 1
    before = text.rfind("\n", max(first - REACH, 0), max(first - 1, 0)) + 1
    near = any(n != first and _LONG_LABEL.match(text, n) for n in (before, line + 1))
    if near and _LONG_LABEL.match(text, first):
        return at
    end = text.find("\n\n", line, at + most)
    return end if end >= 0 else None


def _find_breaks(text: str, low: int, high: int) -> Iterator[Span]:
    """Yield the certain ends of sentences that lie between two offsets."""
    for match in _BREAK.finditer(text, low, min(high + _LABEL_CHARS, len(text))):
        if match.end() > high:
            return
        if match.start() == match.end() and not _follows_label(text, match.start()):
            continue
        if not _ABBREVIATED.search(text, max(match.start() - 8, 0), match.start()):
            yield match.span()


def _follows_label(text: str, at: int) -> bool:
    """Return whether the line above an offset is a record's line."""
    above = text.rfind("\n", max(at - 1 - REACH, 0), at - 1) + 1
    return bool(_LABEL.match(text, above))


def _is_line_end(text: str, at: int) -> bool:
    return text[at - 1 : at] == "\n" or bool(_ENDS_LINE.match(text, at))
