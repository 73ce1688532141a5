"""Forward-looking passages of filings: guidance in earnings releases, and added or removed risk factors."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import get_args

from contracts.company.filings import Filing, Passage, PassageKind
from contracts.evidence.claims import Citation, Claim
from contracts.report.report import Section
from contracts.words import Language, say
from domain.company.figures.tables.page_lines import PageLine
from domain.evidence.normal_forms import spell_words
from domain.evidence.quotes import Snapshot

MAX_GUIDANCE, MAX_RISKS = 8, 6
"""Passages shown; of risk factors each way. Whoever shows fewer than there are says how many more."""
MAX_CHARS = 400
SAME = 0.75
"""Likeness, by their words, from which on two headings are one, reworded."""

_HEADING = re.compile(
    r"[#*\s]*(?:[\w'’.,&-]+ ){0,6}(?:outlook|guidance|financial targets)\b[^.]{0,60}", re.IGNORECASE
)
_MODAL = re.compile(
    r"\b(?:expects?|anticipates?|forecasts?|projects?|guidance|outlook|guides?|targets?)\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"forward-looking|safe harbor|risks and uncertaint|reform act|differ materially",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"])")
_FIGURE = re.compile(r"\d")
_YEAR = re.compile(r"\b(?:(?:19|20)\d\d|Q\d|FY\s?\d\d)\b")
_TITLE = re.compile(
    r"(?:[A-Z][\w'’-]*|of|and|the|in|on|for|to)(?: (?:[A-Z&][\w'’-]*|of|and|the|in|on|for|to)){1,7}:?"
)


def find_guidance(text: str) -> list[str]:
    """Return the passages of an earnings release that give guidance with a figure.

    They are the lines below a heading on the outlook, up to the next prose without a figure, or else single
    sentences. Warnings about forward-looking statements are skipped.
    """
    lines = [line.strip() for line in text.splitlines()]
    prose = [(n, line) for n, line in enumerate(lines) if line and not line.startswith("|")]
    for n, line in prose:
        is_heading = _HEADING.fullmatch(line) and not _HEDGE.search(line)
        if is_heading and (found := list(_read_outlook(lines[n + 1 :]))):
            return found
    sentences = (part for _, line in prose for part in _SENTENCE.split(line))
    told = (s for s in sentences if _MODAL.search(s) and _tells(s) and not _HEDGE.search(s))
    return list(dict.fromkeys(told))


def _read_outlook(lines: Sequence[str]) -> Iterator[str]:
    """Yield the rows and sentences with figures below a heading, up to a disclaimer, the next title or four lines without any."""
    idle, label, is_under_way = 0, "", False
    for line in filter(None, lines):
        if _HEDGE.search(line) or idle > 3 or (is_under_way and _TITLE.fullmatch(line)):
            return
        parts = [line] if line.startswith("|") else _SENTENCE.split(line)
        told = [part for part in parts if _tells(part)]
        if label and len(told) == 1 and not told[0][0].isupper() and told[0][0] != "|":
            told = [f"{label} {told[0]}"]  # a cell below its row's label
        yield from told
        is_under_way |= bool(told)
        idle = 0 if told else idle + 1
        label = "" if told or line.startswith("|") else line


def _tells(passage: str) -> bool:
    """Return whether a passage is short, does not end with a colon, and has a figure that is not a year."""
    is_short = len(passage) <= MAX_CHARS and not passage.endswith(":")
    return is_short and bool(_FIGURE.search(_YEAR.sub("", passage)))


def compare_risks(new: Sequence[str], old: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the added and the removed headings; a reworded heading is in neither list."""
    return list(_list_unlike(new, old)), list(_list_unlike(old, new))


def _list_unlike(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[str]:
    known = [spell_words(heading).split() for heading in theirs]
    for heading in ours:
        # Compare words: letters are much the same in any two headings, and comparing them takes
        # minutes.
        matcher = SequenceMatcher(b=spell_words(heading).split(), autojunk=False)
        if not any(_is_like(matcher, other) for other in known):
            yield heading


def _is_like(matcher: "SequenceMatcher[str]", words: list[str]) -> bool:
    matcher.set_seq1(words)
    bounds = (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)
    return all(measure() >= SAME for measure in bounds)


def locate_passages(
    quotes: Sequence[str], text: str, kind: str, source: int, filing: Filing
) -> list[Passage]:
    """Locate quotes in a document's text; quotes that it lacks are dropped."""
    snapshot = Snapshot(text)
    spans = [span for quote in quotes if (span := snapshot.find(quote))]
    named = {"kind": kind, "source": source, "form": filing.form, "filed": filing.filed}
    return [
        Passage.model_validate({**named, "quote": text[start:end], "start": start, "end": end})
        for start, end in spans
    ]


def render_passages(passages: Sequence[Passage], company: str) -> Iterator[PageLine]:
    """Yield a company's passages by kind, each as a line with its filing's day, for a page, which is in English."""
    for heading, same in _by_heading(passages, company, "en"):
        yield PageLine("")
        yield PageLine(f"{heading}:")
        yield from (PageLine(f"- “{passage.quote}”") for passage in same)


def _by_heading(
    passages: Sequence[Passage], company: str, language: Language
) -> Iterator[tuple[str, list[Passage]]]:
    for kind in get_args(PassageKind):
        if same := [passage for passage in passages if passage.kind == kind]:
            named = {"company": company, "form": same[0].form, "filed": same[0].filed}
            yield say(language, f"passages-{kind.replace(' ', '-')}", **named), same


def build_sections(
    passages: Sequence[Passage], company: str, language: Language = "en"
) -> list[Section]:
    """Return a company's passages as sections of a report, each quoted from the document itself."""
    return [
        Section(heading=heading, claims=[_claim(passage) for passage in same])
        for heading, same in _by_heading(passages, company, language)
    ]


def _claim(passage: Passage) -> Claim:
    cited = Citation.model_validate(passage.model_dump(include={"source", "quote", "start", "end"}))
    label, *cells = [cell.strip() for cell in passage.quote.strip("| ").split("|")]
    told = f"{label}: {', '.join(cells)}." if cells else f"“{passage.quote}”"
    return Claim(text=told, citations=[cited], verdict="supported")
