"""The claims of a report in reading order: of its opening, its comparison, its sections."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, dropwhile, pairwise

from contracts.evidence.claims import Claim, RefusedClaim
from contracts.report.report import Report, Section
from contracts.words import Language, say
from domain.evidence.claims import find_numbers
from domain.evidence.normal_forms import spell_words


def list_claims(report: Report) -> list[Claim]:
    """Return the claims of a report; claims that opening and section share count in the section only."""
    return [claim for _, _, claim in list_placed(report)]


def list_placed(report: Report) -> Iterator[tuple[str, str, Claim]]:
    """Yield each claim with its place: a heading, or a cell in words, then with its row."""
    for claim in list_own_claims(report):
        yield report.answer.heading if report.answer else "", "", claim
    columns = report.comparison.columns if report.comparison else []
    for row in report.comparison.rows if report.comparison else []:
        for column, cell in zip(columns, row.cells, strict=True):
            if cell:
                yield name_cell(row.label, column), row.label, cell
    for section in report.sections:
        yield from ((section.heading, "", claim) for claim in section.claims)


def promote_findings(report: Report) -> Report:
    """Make the findings the report's text, unless other text was written."""
    text = [section for section in report.sections if not section.is_detail]
    if any(section.is_written for section in text) or len(text) == len(report.sections):
        return report
    left = [section for section in text if section.missing]
    found = take_layer(report, is_finding=True)
    return report.model_copy(update={"sections": [*found.sections, *left]})


def take_text(report: Report) -> Report:
    """Return a report without its findings, unless they are all that is written."""
    return take_layer(promote_findings(report), is_finding=False)


def take_layer(report: Report, *, is_finding: bool) -> Report:
    """Return a report with only the sections of its findings, or only those of its text."""
    sections = [
        section.model_copy(update={"is_detail": False})
        for section in report.sections
        if section.is_detail == is_finding
    ]
    return report.model_copy(update={"sections": sections})


def list_parts(report: Report) -> list[Section]:
    """Return the sections of a report, preceded by its opening with the claims that only it has."""
    own = list_own_claims(report)
    answer = [report.answer.model_copy(update={"claims": own})] if report.answer and own else []
    return [*answer, *report.sections]


def list_own_claims(report: Report) -> list[Claim]:
    """Return the claims of a report's opening that no section has."""
    opening = report.answer.claims if report.answer else []
    told = {claim.key for section in report.sections for claim in section.claims if opening}
    return [claim for claim in opening if claim.key not in told]


def replace_claims(report: Report, claims: Iterable[Claim | None]) -> Report:
    """Replace each claim of a report, in order; None removes a claim."""
    left = iter(claims)
    table, own, answer = report.comparison, list_own_claims(report), report.answer
    if answer and own:
        keys = {claim.key for claim in own}
        opening = [new for c in answer.claims if (new := next(left) if c.key in keys else c)]
        answer = answer.model_copy(update={"claims": opening})
    rows = [
        row.model_copy(update={"cells": [claim and next(left) for claim in row.cells]})
        for row in (table.rows if table else [])
    ]
    sections = [
        section.model_copy(update={"claims": [new for _ in section.claims if (new := next(left))]})
        for section in report.sections
    ]
    comparison = table and table.model_copy(update={"rows": rows})
    changed = {"answer": answer, "comparison": comparison, "sections": sections}
    return report.model_copy(update=changed)


def leave_out_told(
    sections: Sequence[Section],
    told: Sequence[Claim],
    language: Language,
) -> list[Section]:
    """Give the sections' claims unique ids, and drop claims at a paragraph's end that an earlier section has.

    A claim that another one of its paragraph follows stays, since that may refer to it ("it", "on that day"). References to
    dropped or renamed claims are updated.
    """
    known = {_describe(claim): claim.id for claim in told}

    def is_told(claim: Claim) -> bool:
        twin = known.get(_describe(claim))
        return twin is not None and bool(twin or not claim.id)

    kept = [[*_drop_told(section.claims, is_told)] for section in sections]
    stay = {claim.id: claim for claims in kept for claim in claims if claim.id}
    written = [claim for section in sections for claim in section.claims if claim.id not in stay]
    twins = {c.id: twin for c in written if (twin := known.get(_describe(c)))}
    names = twins | find_free_names([*stay.values()], told)

    left = []
    for section, claims in zip(sections, kept, strict=True):
        claims = [rename_claim(claim, names) for claim in claims]
        if claims or not section.claims:
            left.append(section.model_copy(update={"claims": claims}))
        elif section.missing or section.remarks or section.account:
            remarks = [*section.remarks, say(language, "stands-above")]
            left.append(section.model_copy(update={"claims": [], "remarks": remarks}))
    return left


def _drop_told(claims: Sequence[Claim], is_told: Callable[[Claim], bool]) -> Iterator[Claim]:
    """Yield claims without those at the end of paragraphs that are already shown, and openers that lost their paragraph."""
    begins = [n for n, claim in enumerate(claims) if claim.opens and n]
    for start, end in pairwise([0, *begins, len(claims)]):
        paragraph = claims[start:end]
        left = [*dropwhile(is_told, reversed(paragraph))][::-1]
        if len(left) == len(paragraph) or not all(claim.opens for claim in left):
            yield from left


def _describe(claim: Claim) -> tuple[object, ...]:
    """Return what makes two claims the same to a reader."""
    return claim.text, claim.verdict, tuple((c.source, c.quote) for c in claim.citations)


def tells_same(claim: Claim, other: Claim) -> bool:
    """Return whether two claims state one fact: in the same words, or with the same figures of the same passages."""
    if spell_words(claim.text) == spell_words(other.text):
        return True
    figures, places = find_numbers(claim.text), claim.as_premise.places
    is_same = bool(figures) and figures == find_numbers(other.text)
    return is_same and bool(places) and set(places) <= set(other.as_premise.places)


def find_free_names(claims: Sequence[Claim], others: Iterable[Claim]) -> dict[str, str]:
    """Return new ids, by old id, for claims whose ids are already taken."""
    own, others_own = {claim.id for claim in claims}, {claim.id for claim in others if claim.id}
    taken, names = own | others_own, {}
    for name in own & others_own:
        free = (f"{name}-{n}" for n in count(2))
        names[name] = next(new for new in free if new not in taken)
    return names


def rename_claim(claim: Claim, names: Mapping[str, str]) -> Claim:
    """Return a claim with its new id, resting on others by theirs."""
    rests_on = [names.get(name, name) for name in claim.rests_on]
    return claim.model_copy(update={"id": names.get(claim.id, claim.id), "rests_on": rests_on})


def withdraw_contradicted(report: Report) -> tuple[Report, list[RefusedClaim]]:
    """Remove the claims that their sources contradict, and return them with their places.

    A sentence that a reader reworded stays, with its mark.
    """

    def falls(claim: Claim) -> bool:
        return claim.verdict == "contradicted" and claim.edit is None

    gone = [
        RefusedClaim(place=place, row=row, claim=claim)
        for place, row, claim in list_placed(report)
        if falls(claim)
    ]
    left = (None if falls(claim) else claim for claim in list_claims(report))
    return (replace_claims(report, left) if gone else report), gone


def name_cell(row: str, column: str) -> str:
    """Return the place of a cell in words."""
    return f"{row}, {column}"


def count_claims(report: Report, *, is_judged: bool) -> Report:
    """Set a report's counts of its text's claims; without a judge, none counts as unjudged.

    Findings that the text repeats are not counted twice.
    """
    claims = list_claims(take_text(report))
    unjudged = sum(claim.verdict is None for claim in claims)
    counts = {
        "claims_total": len(claims),
        "claims_unsupported": len(claims) - unjudged - sum(c.is_supported for c in claims),
        "claims_unjudged": unjudged if is_judged else None,
    }
    return report.model_copy(update=counts)


def find_last_source(report: Report) -> int:
    """Return the highest source number that a report cites; 0 if it cites none."""
    return max(list_cited(report), default=0)


def list_cited(report: Report) -> set[int]:
    """Return the numbers of the sources that a report cites."""
    return {c.source for claim in list_claims(report) for c in claim.citations}
