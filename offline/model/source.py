"""Numbered sources as prompts hand them over: a few lines about a page, then its text."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from offline.text.passages import Passage, passages

NUMBERED = re.compile(r"(?:.*\D)?(\d+)")
ABOUT = re.compile(r"^[a-z_]+: .*$")
ENDS = (".", "!", "?", ")", "”", '"', ":", "|", "。")
TITLE_CHARS = 200
SURELY_WHOLE_CHARS = 2_000


@dataclass(frozen=True)
class NumberedSource:
    """One source; only its own text is ever quoted, and never a line that may be cut off."""

    number: int
    title: str
    text: str
    is_quoted: bool = False
    """Whether it is known by quotes alone, which somebody has chosen already."""

    @cached_property
    def passages(self) -> list[Passage]:
        """Its lines, sentences and clauses."""
        found = passages(self.number, self.text)
        may_be_cut = len(self.text) > SURELY_WHOLE_CHARS and not self.text.rstrip().endswith(ENDS)
        return found[:-1] if may_be_cut else found


def source_of(name: str, given: str) -> NumberedSource | None:
    """Return the source that a fenced text is, if its name ends in a number."""
    found = NUMBERED.fullmatch(name)
    if not found:
        return None
    head, gap, body = given.lstrip().partition("\n\n")
    lines = head.splitlines()
    is_about = bool(lines) and all(map(ABOUT.match, lines))
    if not is_about and (len(lines) != 1 or len(head) > TITLE_CHARS or head.startswith("#")):
        gap = ""
    if not gap:
        return NumberedSource(
            int(found[1]), lines[0] if is_about else "", "" if is_about else given
        )
    return NumberedSource(int(found[1]), title_of(lines) if is_about else head.strip(), body)


def title_of(about: list[str]) -> str:
    """Return a page's title: the first of the lines about it that is no address."""
    values = [line.partition(": ")[2] for line in about]
    return next((value for value in values if "://" not in value), "")


def quoted(data: Any, names: tuple[str, str]) -> list[NumberedSource]:
    """Return the quotes in JSON data, which names give, as sources that say nothing else."""
    found: dict[int, dict[str, None]] = {}
    for number, quote in citations(data, names):
        found.setdefault(number, {})[quote] = None
    return [NumberedSource(n, "", "\n".join(q), is_quoted=True) for n, q in sorted(found.items())]


def citations(data: Any, names: tuple[str, str]) -> Iterator[tuple[int, str]]:
    """Yield every source with its quote that stands in JSON data under two names."""
    if isinstance(data, dict):
        number, quote = (data.get(name) for name in names)
        if isinstance(number, int) and isinstance(quote, str) and quote.strip():
            yield number, quote
    for part in parts_of(data):
        yield from citations(part, names)


def parts_of(data: Any) -> list[Any]:
    """Return what JSON data consists of."""
    if isinstance(data, dict):
        return list(data.values())
    return data if isinstance(data, list) else []


def read_json(text: str) -> Any:
    """Return JSON data, or None where a text is no list and no object."""
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None
