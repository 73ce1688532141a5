"""The judge's view of claims: each in its place, with its quotes and the pages around them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from contracts.evidence.checks import Check, PlacedCheck
from contracts.evidence.claims import Citation, Judgements, Kind
from contracts.models.answer_json_schema import get_answer_schema
from contracts.models.call import ModelRequest, build_inputs, build_message, to_input
from domain.evidence.claims import find_numbers, needs_pages
from domain.evidence.pages.cited_page import CitedPage, describe_pages
from domain.evidence.pages.page_breaks import describe_page
from domain.evidence.pages.passage_search import find_near
from domain.evidence.quotes import Span

_BEGINNING = 40
"""Characters by which the judge recognizes a sentence; quotes that are not longer are repeated."""
_NEAR = 3
"""Maximum number of passages that are shown for a claim without citations."""
_QUOTE = "[quote]"
_MARKED: Mapping[Kind, str] = {"assumed": "an assumption", "advised": "advice"}
"""The line below a sentence that tells the judge why it cites nothing, by the kind of the sentence."""

Quoted = dict[tuple[int, int, int], int]
"""The first claim that each quote is shown under, by its source and place."""
Seen = dict[str, set[str]]
"""The sentences that were shown in full, by their beginning."""


def build_judging(
    call: ModelRequest, checks: Sequence[PlacedCheck], pages: Mapping[int, CitedPage]
) -> ModelRequest:
    """Return a judge's call with the claims that it is asked about.

    `pages` are the cited pages, or all pages of the run if a claim cites none and holds unless one of them says otherwise.
    """
    terms = call.judge
    assert terms
    cited: dict[int, list[Span]] = {}
    for placed in checks:
        spans = [(c.source, (c.start, c.end)) for c in placed.check.claim.citations]
        for source, span in (*spans, *placed.check.openings):
            cited.setdefault(source, []).append(span)
    described = describe_pages({n: pages[n] for n in cited}, cited)
    near = _find_near(checks, pages)
    shown, seen, quoted, last, told = list[str](), Seen(), Quoted(), "", ""
    for n, placed in enumerate(checks, start=1):
        before = "" if placed.before == told else placed.before
        shown += [f"at: {placed.place or '–'}"] if placed.place != last else []
        shown += _describe(n, placed.check, before, seen, quoted)
        shown += near.get(n, [])
        last, told = placed.place, placed.check.claim.text
    inputs = [
        *build_inputs(question=terms.question),
        *(
            each.model_copy(update={"about": "client_said"})
            for each in build_inputs(client=terms.client or None)
        ),
        *build_inputs(today=terms.today, idea=terms.idea, choices=terms.choices),
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


def _describe(number: int, check: Check, before: str, seen: Seen, quoted: Quoted) -> Iterator[str]:
    """Yield the lines that a judge sees of a claim; a sentence that was `seen` is shortened, unless another one begins alike.

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
    if claim.kind in _MARKED:
        yield f"  {_MARKED[claim.kind]}"
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
        is_known = _is_seen(base.text, seen) or (is_told and base.verdict == "supported")
        for citation in () if is_known else base.citations:
            yield f"    {show(citation)}"
    if check.unquoted:
        yield f"  unquoted: {', '.join(check.unquoted)}"
    if check.periods:
        yield f"  of several periods: {', '.join(check.periods)}"
    _see([claim.text, *(base.text for base in check.bases)], seen)


def _find_near(
    checks: Sequence[PlacedCheck], pages: Mapping[int, CitedPage]
) -> dict[int, list[str]]:
    """Return, by the number of each claim that needs them, the lines with the passages whose words are nearest to it."""
    claims = {n: placed.check.claim for n, placed in enumerate(checks, start=1)}
    asked = [n for n, claim in claims.items() if needs_pages(claim)]
    found = find_near(pages, [claims[n].text for n in asked], _NEAR) if asked else []
    return {
        n: [f"  near: {describe_page(p.source, p.page)}: {_join_lines(p.text)}" for p in passages]
        for n, passages in zip(asked, found, strict=True)
    }


def _cut_out(quote: str, whole: str) -> str:
    """Return the sentence that a quote is cut from, with a long quote named, not repeated."""
    return whole.replace(quote, _QUOTE, 1) if len(quote) > _BEGINNING else whole


def _see(texts: Iterable[str], seen: Seen) -> None:
    for text in texts:
        seen.setdefault(text[:_BEGINNING], set()).add(text)


def _is_seen(text: str, seen: Seen) -> bool:
    return text in seen.get(text[:_BEGINNING], ())


def _shorten_known(text: str, seen: Seen) -> str:
    """Return the beginning of a sentence that was `seen`; one that is new, short or begins like another in full."""
    is_known = seen.get(text[:_BEGINNING]) == {text}
    return f"{text[:_BEGINNING]}…" if is_known and text[_BEGINNING:] else text


def _join_lines(text: str) -> str:
    """Return a text on one line, so that it cannot start another entry."""
    return " ".join(text.split())
