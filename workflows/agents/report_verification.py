"""The last step of every report: its claims checked by code, its text rendered with the quotes."""

from activities.citations import CitationActivities
from contracts.evidence.sources import CheckRequest, Claim, Source
from contracts.report.research import Cell, Comparison, Report, Search
from domain.report.markdown import render
from workflows.agents.entailment import judged
from workflows.runtime.context import PhaseContext


async def checked(
    run: PhaseContext,
    report: Report,
    sources: list[Source],
    searches: list[Search],
    *,
    judge: bool = False,
) -> Report:
    """Return a report with its verdicts, counted, and its Markdown."""
    report = await verified(run, "check", report, sources)
    if judge:
        report = await read_again(run, report)
    return finished(run, report, sources, searches)


async def read_again(run: PhaseContext, report: Report) -> Report:
    """Return a report of verified claims with the judge's word on each."""
    claims = await judged(run, claims_of(report), sentences(report))
    left = sum(claim.verdict == "supported" and claim.entailed is None for claim in claims)
    return _with_verdicts(report, claims).model_copy(update={"claims_unjudged": left})


async def verified(run: PhaseContext, name: str, report: Report, sources: list[Source]) -> Report:
    """Return a report whose claims have their verdicts; `name` is the call's."""
    request = CheckRequest(scope=run.scope(name), claims=claims_of(report), sources=sources)
    found = await run.execute_activity(name, CitationActivities.check, request)
    return _with_verdicts(report, found.claims)


def finished(
    run: PhaseContext, report: Report, sources: list[Source], searches: list[Search]
) -> Report:
    """Return a report of checked claims with their count and its Markdown."""
    claims = claims_of(report)
    unsupported = sum(claim.verdict != "supported" for claim in claims)
    counts = {"claims_total": len(claims), "claims_unsupported": unsupported}
    report = report.model_copy(update=counts)
    markdown = render(
        report,
        sources,
        searches,
        offline=run.state.terms.offline,
        artifacts=run.state.artifacts,
    )
    return report.model_copy(update={"markdown": markdown})


def claims_of(report: Report) -> list[Claim]:
    """Return every claim of a report, the comparison's first, in reading order."""
    rows = report.comparison.rows if report.comparison else []
    compared = [cell.claim for _, cells in rows for cell in cells if cell.claim]
    return compared + [claim for section in report.sections for claim in section.claims]


def sentences(report: Report) -> list[str]:
    """Return what each claim says, in the same order: a cell's figure with what it is said of."""
    compared = report.comparison
    cells = [
        f"{label}, {column}: {cell.claim.text}"
        for label, row in (compared.rows if compared else [])
        for column, cell in zip(compared.columns if compared else [], row, strict=True)
        if cell.claim
    ]
    return cells + [claim.text for section in report.sections for claim in section.claims]


def _with_verdicts(report: Report, checked: list[Claim]) -> Report:
    """Return the report with its claims replaced by the checked ones."""
    left = iter(checked)
    comparison = report.comparison and Comparison(
        columns=report.comparison.columns,
        rows=[
            (label, [Cell(claim=next(left)) if cell.claim else cell for cell in cells])
            for label, cells in report.comparison.rows
        ],
    )
    sections = [
        section.model_copy(update={"claims": [next(left) for _ in section.claims]})
        for section in report.sections
    ]
    return report.model_copy(update={"comparison": comparison, "sections": sections})
