"""Verification of a claim: each quote is located, each fact of the sentence is in one of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from contracts.evidence.claims import Citation, Claim
from domain.evidence.dates import Date, parse_dates
from domain.evidence.figures import TextFigure, parse_figures
from domain.evidence.folding import normalize
from domain.evidence.names import contains_name, find_names, find_unseen_words, is_common
from domain.evidence.quotes import Snapshot

MAX_CHARS = 5_000


@dataclass(frozen=True)
class Evidence:
    """A source's title and snapshot."""

    title: str
    snapshot: Snapshot


def verify_claim(claim: Claim, sources: Mapping[int, Evidence]) -> Claim:
    """Return a claim with its verdict and those of its citations whose quote was located."""
    found: list[Citation] = []
    problems = [] if claim.citations else ["no source is cited"]
    for citation in claim.citations:
        located = _locate(citation, sources.get(citation.source))
        if isinstance(located, Citation):
            found.append(located)
        else:
            problems.append(located)
    if len(claim.text) > MAX_CHARS:
        problems = ["the claim is too long to check"]
    elif found:
        problems = list(_find_missing(claim.text, found, sources))
    return claim.model_copy(
        update={
            "citations": found,
            "verdict": "unsupported" if problems else "supported",
            "reason": "; ".join(dict.fromkeys(problems)),
            "entailed": None,
        }
    )


def _locate(citation: Citation, evidence: Evidence | None) -> Citation | str:
    """Return a citation with the quote as the snapshot spells it, or the problem."""
    if evidence is None:
        return f"source {citation.source} does not exist"
    span = evidence.snapshot.find(citation.quote)
    if span is None:
        line = " ".join(citation.quote[:200].split())
        shown = line if len(line) <= 60 else f"{line[:59]}…"
        return f"source {citation.source} does not say “{shown}”"
    start, end = span
    quote = evidence.snapshot.text[start:end]
    return citation.model_copy(update={"quote": quote, "start": start, "end": end})


def _find_missing(
    text: str, found: list[Citation], sources: Mapping[int, Evidence]
) -> Iterator[str]:
    """Yield the facts of the sentence that no quote has."""
    quotes = [_read_facts(citation.quote) for citation in found]
    cited = [sources[number] for number in {citation.source for citation in found}]
    seen = [quote.text for quote in quotes] + [normalize(source.title) for source in cited]
    claim = _read_facts(text)
    for date in claim.dates:
        if not any(date.parts <= other.parts for quote in quotes for other in quote.dates):
            yield f"date {date.shown} is in no quote"
    date_parts = {part for quote in quotes for date in quote.dates for part in date.parts}
    for figure in claim.figures:
        is_quoted = any(figure.is_same(other) for quote in quotes for other in quote.figures)
        if not is_quoted and not (figure.year and f"y{figure.year}" in date_parts):
            yield f"figure {figure.shown} is in no quote"
    counts = [source.snapshot.words for source in sources.values()]
    for name in find_names(claim.words, lambda word: is_common(word, counts)):
        if not any(contains_name(name, text) for text in seen):
            yield f"name {name} is in no quote or title"
    for word in find_unseen_words(claim.words, "\n".join(seen)):
        yield f"{word} is in no quote or title"


@dataclass(frozen=True)
class _Facts:
    """Facts of a sentence that one letter makes wrong."""

    text: str
    dates: list[Date]
    figures: list[TextFigure]
    words: str


@lru_cache(maxsize=1_000)  # a quote is read for its sentence, its table cell and its summary
def _read_facts(text: str) -> _Facts:
    text = normalize(text)
    found_dates, rest = parse_dates(text)
    found_figures = parse_figures(rest)
    for figure in found_figures:
        rest = f"{rest[: figure.start]}{' ' * (figure.end - figure.start)}{rest[figure.end :]}"
    return _Facts(text, found_dates, found_figures, rest)
