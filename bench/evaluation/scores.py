"""The scores of a report: the expected answers, the sources they cite, and its citations.

A key is a figure (`value`, `unit`, `tolerance` as a share of it; `digits`, whatever its scale) or a name in any of some
forms (`names`). A question
without keys has no answer in the library: a report answers it rightly by saying so.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote

from contracts.evidence.claims import Claim
from contracts.report.report import Report
from domain.evidence.figures.figure_agreement import is_quoted
from domain.evidence.figures.notation.quantities import read_figure, read_quantities
from domain.evidence.normal_forms import normalize
from domain.report.claims.report_claims import list_claims

Key = dict[str, Any]
Scores = dict[str, float]
MOST_WORDS = 4
"""Maximum length of an answer that is a figure alone."""


class Pair(NamedTuple):
    """A statement and an address that it cites."""

    statement: str
    url: str
    is_supported: bool


def score_keys(
    report: Report | None, urls: Mapping[int, str], keys: Sequence[Key], sources: Sequence[str]
) -> Scores:
    """Score a report against a question's answer keys, each from 0 to 1.

    `answered`: the share of keys that occur in a supported sentence. `sourced`: whether such a sentence cites
    a page with the answer. `said_missing`: for questions without an answer, whether the report says so.
    """
    if not keys:
        return {"said_missing": float(says_missing(report))}
    claims = [claim for claim in list_claims(report) if claim.is_supported] if report else []
    holding = [[claim for claim in claims if holds(claim, key)] for key in keys]
    cited = {url for found in holding for claim in found for url in list_cited(claim, claims, urls)}
    return {
        "answered": sum(map(bool, holding)) / len(keys),
        "sourced": float(any(url.endswith(f"/{name}") for url in cited for name in sources)),
    }


def holds(claim: Claim, key: Key) -> bool:
    """Return True if a sentence contains the figure or the name that a key asks for."""
    if names := key.get("names"):
        text = normalize(claim.text).casefold()
        return any(
            re.search(rf"(?<!\w){re.escape(normalize(name).casefold())}", text) for name in names
        )
    if digits := key.get("digits"):
        [figure] = read_quantities(digits)
        return any(found.has_digits_of(figure) for found in read_quantities(claim.text))
    wanted = read_figure(key["value"], key["unit"])
    found = read_quantities(claim.text)
    return wanted is not None and is_quoted(wanted, found, key.get("tolerance", 0.0))


def make_figure_key(answer: str) -> Key | None:
    """Return the key of an answer that is a single figure, at any scale; None for other answers."""
    figures = read_quantities(answer)
    if len(figures) != 1 or len(answer.split()) > MOST_WORDS:
        return None
    return {"digits": answer}


def list_cited(claim: Claim, claims: Iterable[Claim], urls: Mapping[int, str]) -> Iterator[str]:
    """Yield the addresses that a sentence cites, or the sentences that it rests on."""
    bases = [each for each in claims if each.id and each.id in claim.rests_on]
    for each in (claim, *bases):
        yield from (urls[c.source] for c in each.citations if c.source in urls)


def says_missing(report: Report | None) -> bool:
    """Return whether a report names what is missing, or makes no claims at all."""
    if report is None:
        return False
    sections = [*report.sections, *([report.answer] if report.answer else [])]
    named = report.unanswered or report.gaps or any(section.missing for section in sections)
    return bool(named) or not list_claims(report)


def list_pairs(report: Report | None, urls: Mapping[int, str]) -> list[Pair]:
    """Return the statements of a report with the addresses that they cite, each pair once."""
    claims = list_claims(report) if report else []
    pairs = (
        Pair(claim.text, url, claim.is_supported)
        for claim in claims
        for url in list_cited(claim, (), urls)
    )
    return list(dict.fromkeys(pairs))


def score_pages(
    report: Report | None,
    urls: Mapping[int, str],
    document: str,
    pages: set[int],
    key: Key | None = None,
) -> Scores:
    """Return whether a report cites the right document, the right page, and, with a key, contains the figure."""
    claims = list_claims(report) if report else []
    cited = [(urls.get(c.source, ""), c.page) for claim in claims for c in claim.citations]
    found = [page for url, page in cited if PurePosixPath(unquote(url)).stem == document]
    answered = {"answered": float(any(holds(claim, key) for claim in claims))} if key else {}
    return answered | {
        "document": float(bool(found)),
        "page": float(any(page in pages for page in found)),
    }
