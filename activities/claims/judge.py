"""The judge's view of claims: each in its place, with its quotes and the pages around them."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from contracts.base import Json, get_answer_schema
from contracts.evidence.checks import Check, PlacedCheck
from contracts.evidence.claims import Citation, Claim, Judgements, Premise, Ruling
from contracts.evidence.reasons import Reason
from contracts.models.call import ModelRequest, build_inputs, build_message, to_input
from domain.evidence.cited_page import CitedPage, describe_pages
from domain.evidence.claims import find_claims, find_numbers
from domain.evidence.pages import describe_page
from domain.evidence.quotes import Span
from domain.report.changes.patches import find_followed, is_appended, list_removed

_BEGINNING = 40
"""Characters by which the judge knows a sentence again; a quote that is no longer is repeated."""
_QUOTE = "[quote]"

Quoted = dict[tuple[int, int, int], int]
"""The first claim that each quote is shown under, by its source and place."""


def build_judging(
    call: ModelRequest, checks: Sequence[PlacedCheck], pages: Mapping[int, CitedPage]
) -> ModelRequest:
    """Return a judge's call with the claims that it is asked about."""
    terms = call.judge
    assert terms
    cited: dict[int, list[Span]] = {}
    for placed in checks:
        spans = [(c.source, (c.start, c.end)) for c in placed.check.claim.citations]
        for source, span in (*spans, *placed.check.openings):
            cited.setdefault(source, []).append(span)
    described = describe_pages({n: pages[n] for n in cited}, cited)
    shown, seen, quoted, last, told = list[str](), set[str](), Quoted(), "", ""
    for n, placed in enumerate(checks, start=1):
        before = "" if placed.before == told else placed.before
        shown += [f"at: {placed.place or '–'}"] if placed.place != last else []
        shown += _describe(n, placed.check, before, seen, quoted)
        last, told = placed.place, placed.check.claim.text
    inputs = [
        *build_inputs(question=terms.question, today=terms.today, idea=terms.idea),
        *described,
        to_input("claims", "\n".join(shown)),
    ]
    return call.model_copy(
        update={
            "messages": [build_message(inputs, [])],
            "output_schema": get_answer_schema(Judgements),
            "max_tokens": 300 + 90 * len(checks),
        }
    )


def restate(placed: PlacedCheck, known: Iterable[Premise]) -> PlacedCheck:
    """Return a cell as the judge sees it: by sentences that hold and have its quotes and its figures, where there are some.

    They were judged with these quotes; whether they fit the cell's row and column is left to judge.
    """
    check, wanted = placed.check, find_numbers(placed.check.claim.text)
    places, named = check.claim.as_premise.places, {base.text for base in check.bases}
    bases: list[Premise] = []
    for premise in known:
        is_near = any(_overlap(a, b) for a in places for b in premise.places)
        told = find_numbers(premise.text)
        if premise.is_supported and (premise.text in named or (is_near and wanted & told)):
            wanted -= told
            bases.append(premise)
    quoted = [place for base in bases for place in base.places]
    is_quoted = all(any(_overlap(a, b) for b in quoted) for a in places)
    if not bases or wanted or not is_quoted or not named <= {base.text for base in bases}:
        return placed
    claim = check.claim.model_copy(update={"citations": [], "working": ""})
    update = {"claim": claim, "wholes": (), "openings": (), "unquoted": ()}
    told_by = tuple(Claim(text=base.text, citations=[]) for base in bases)
    return placed.model_copy(update={"check": check.model_copy(update=update | {"bases": told_by})})


def _overlap(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return one[0] == other[0] and one[1] < other[2] and other[1] < one[2]


def recall(check: Check, ruling: Ruling | None) -> Check:
    """Return a check with the verdict that its claim had before."""
    if check.outcome != "open" or ruling is None:
        return check
    verdict, words = ruling
    if verdict == "supported":
        return check.model_copy(update={"outcome": "holds", "claim": check.claim.rule(verdict)})
    reason = Reason(code="judged" if verdict else "unjudged", params={"text": words})
    return check.model_copy(update={"outcome": "fails", "claim": check.claim.rule(verdict, reason)})


def place_checks(
    places: Sequence[str],
    checks: Sequence[Check],
    inputs: Json,
    written: Mapping[str, Sequence[str]],
) -> list[PlacedCheck]:
    """Return an answer's checks where they stand; each follows the one before in the same place, unless that fell.

    The claims of the `inputs`, which change a report, are the last: the first of a change follows what stands there
    in the report.
    """
    placed = [PlacedCheck(place=p, check=c) for p, c in zip(places, checks, strict=True)]
    for n, one in enumerate(placed[1:], start=1):
        if one.place == placed[n - 1].place:
            placed[n] = one.model_copy(update={"before": _tell(checks[n - 1])})
    changes = [change for change in inputs.values() if isinstance(change, dict)]
    counts = [len(list(find_claims(change))) for change in changes]
    at, ends = len(checks) - sum(counts), dict[str, Check]()
    gone: dict[str, set[int]] = {}
    for change in changes:
        gone.setdefault(str(change.get("section")), set()).update(list_removed(change))
    for change, number in zip(changes, counts, strict=True):
        section = str(change.get("section"))
        if change.get("add") and number:
            end = ends.get(section) if is_appended(change) else None
            before = (
                _tell(end)
                if end
                else find_followed(written.get(section, ()), change, gone[section])
            )
            placed[at] = placed[at].model_copy(update={"before": before})
            if is_appended(change):
                ends[section] = checks[at + number - 1]
        at += number
    return placed


def _tell(check: Check) -> str:
    """Return a sentence as what follows it may take it for known; empty where it fell."""
    return check.claim.text if check.claim.is_usable else ""


def _describe(
    number: int, check: Check, before: str, seen: set[str], quoted: Quoted
) -> Iterator[str]:
    """Yield the lines that a judge sees of a claim; of sentences it has `seen` the beginning.

    What was `quoted` above is named by the number of the claim there.
    """
    claim = check.claim

    def show(citation: Citation, whole: str = "") -> str:
        where, quote = describe_page(citation.source, citation.page), _join_lines(citation.quote)
        place = (citation.source, citation.start, citation.end)
        first = quoted.setdefault(place, number)
        is_known = first != number and len(citation.quote) > _BEGINNING
        cut = f"\n    cut from: {_cut_out(quote, _join_lines(whole))}" if whole else ""
        return f"{where}: {f'as in {first}' if is_known else quote}{cut * (first == number)}"

    yield f"{number}. {_join_lines(claim.text)}"
    if claim.kind == "assumed":
        yield "  an assumption"
    if before and before not in (base.text for base in check.bases):
        yield f"  after: {_join_lines(_shorten_known(before, seen))}"
    if claim.working:
        yield f"  working: {claim.working}"
    for citation, whole in zip(claim.citations, check.wholes, strict=True):
        yield f"  {show(citation, whole)}"
    told = frozenset[str]().union(*(find_numbers(base.text) for base in check.bases))
    is_told = (
        find_numbers(claim.text) <= told
    )  # else the quotes of its bases may have a figure of it
    for base in check.bases:
        yield f"  {'repeats' if claim.repeats else 'rests on'}: {_join_lines(_shorten_known(base.text, seen))}"
        is_known = base.text in seen or (is_told and base.verdict == "supported")
        for citation in () if is_known else base.citations:
            yield f"    {show(citation)}"
    if check.unquoted:
        yield f"  unquoted: {', '.join(check.unquoted)}"
    if check.periods:
        yield f"  of several periods: {', '.join(check.periods)}"
    seen.update([claim.text, *(base.text for base in check.bases)])


def _cut_out(quote: str, whole: str) -> str:
    """Return the sentence that a quote is cut from, with a long quote named, not repeated."""
    return whole.replace(quote, _QUOTE, 1) if len(quote) > _BEGINNING else whole


def _shorten_known(text: str, seen: Container[str]) -> str:
    """Return the beginning of a sentence that was `seen`; another, and a short one, as it is."""
    return f"{text[:_BEGINNING]}…" if text in seen and text[_BEGINNING:] else text


def _join_lines(text: str) -> str:
    """Return a text on one line, so that none begins another entry."""
    return " ".join(text.split())
