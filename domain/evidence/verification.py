"""The verdict on a claim: each quote found, each fact of the sentence in one of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from contracts.evidence.claims import Citation, Claim
from domain.evidence.dates import Date, dates
from domain.evidence.figures import Figure, figures
from domain.evidence.folding import tidy
from domain.evidence.names import is_common, names, stands_in, unseen_words
from domain.evidence.quotes import Snapshot

MAX_CHARS = 5_000


@dataclass(frozen=True)
class Evidence:
    """A source as it was kept."""

    title: str
    snapshot: Snapshot


def verify_claim(claim: Claim, sources: Mapping[int, Evidence]) -> Claim:
    """Return the claim with its verdict, with those of its citations whose quote was found."""
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
    """Return the citation with the quote as it stands in the snapshot, or what is wrong."""
    if evidence is None:
        return f"source {citation.source} does not exist"
    span = evidence.snapshot.find(citation.quote)
    if span is None:
        return f"source {citation.source} does not say “{_short(citation.quote)}”"
    start, end = span
    quote = evidence.snapshot.text[start:end]
    return citation.model_copy(update={"quote": quote, "start": start, "end": end})


def _short(text: str) -> str:
    line = " ".join(text[:200].split())
    return line if len(line) <= 60 else f"{line[:59]}…"


def _find_missing(
    text: str, found: list[Citation], sources: Mapping[int, Evidence]
) -> Iterator[str]:
    """Yield the facts of the sentence that no quote has."""
    quotes = [_facts(citation.quote) for citation in found]
    cited = [sources[number] for number in {citation.source for citation in found}]
    seen = [quote.text for quote in quotes] + [tidy(source.title) for source in cited]
    claim = _facts(text)
    for date in claim.dates:
        if not any(date.parts <= other.parts for quote in quotes for other in quote.dates):
            yield f"date {date.shown} is in no quote"
    for figure in claim.figures:
        if not any(_has_figure(quote, figure) for quote in quotes):
            yield f"figure {figure.shown} is in no quote"
    counts = [source.snapshot.words for source in sources.values()]
    for name in names(claim.words, lambda word: is_common(word, counts)):
        if not any(stands_in(name, text) for text in seen):
            yield f"name {name} is in no quote or title"
    for word in unseen_words(claim.words, "\n".join(seen)):
        yield f"{word} is in no quote or title"


@dataclass(frozen=True)
class _Facts:
    """What a sentence states that can be right or wrong by a letter."""

    text: str
    dates: list[Date]
    figures: list[Figure]
    words: str


@lru_cache(maxsize=1_000)  # a quote is read for its sentence, its table cell and its summary
def _facts(text: str) -> _Facts:
    text = tidy(text)
    found_dates, rest = dates(text)
    found_figures = figures(rest)
    for figure in found_figures:
        rest = f"{rest[: figure.start]}{' ' * (figure.end - figure.start)}{rest[figure.end :]}"
    return _Facts(text, found_dates, found_figures, rest)


def _has_figure(quote: _Facts, figure: Figure) -> bool:
    if any(figure.is_same(other) for other in quote.figures):
        return True
    return bool(figure.year) and any(f"y{figure.year}" in date.parts for date in quote.dates)
