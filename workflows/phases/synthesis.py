"""`synthesis`: the report; code finds every quote and checks every figure, name and date."""

from contracts.evidence.sources import Source
from contracts.models.call import BlobRef, Input
from contracts.models.inputs import data
from contracts.phases.synthesis import SynthesisOutput, SynthesisPhase
from contracts.report.drafts import DraftClaim, DraftReport, DraftRow, DraftText, Entailments
from contracts.report.research import Cell, Comparison, Finding, Plan, Report, Search, Section
from workflows.agents import entailment as judging
from workflows.agents.final_pass import completed
from workflows.agents.report_verification import checked, finished, read_again
from workflows.prompts import entailment as judges
from workflows.prompts import synthesis as prompts
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Need, Tokens

ALL_SOURCES_CHARS = 60_000
ONE_SOURCE_CHARS = 8_000
FORMS: dict[str, type[DraftReport | DraftText]] = {"report": DraftReport, "text": DraftText}
ANSWER = "Answer"
"""The heading of the one section that a short answer has."""


async def synthesis(phase: SynthesisPhase, run: PhaseContext) -> SynthesisOutput:
    """Write the report from the sources, check it, and render it with its quotes."""
    sources = run.sources()
    searches = run.need_list("searches", Search)
    config = phase.config
    if config.living:
        report = await completed(run, config, _inputs(run, sources))
        run.me.progress.report_written = True
        report = await read_again(run, report) if config.judge else report
        whole = finished(run, report, sources, searches)
        return SynthesisOutput(report=whole, patches=list(run.state.patches))
    draft = await run.generate(
        "report",
        "synthesizer",
        "\n".join(filter(None, (prompts.FORMS[config.form], config.instructions))),
        _inputs(run, sources),
        FORMS[config.form],
        max_tokens=config.max_report_tokens,
    )
    report = _structured(draft)
    return SynthesisOutput(report=await checked(run, report, sources, searches, judge=config.judge))


def tokens(phase: SynthesisPhase) -> tuple[Tokens, ...]:
    """Return what the report is expected to take, and the judge of its claims."""
    slack = 2 * phase.config.max_report_tokens
    written = Tokens(2_500, 900, 500, 95, slack=slack, role="synthesizer")
    return (
        (written, Tokens(300, 30, 320, 75, slack=2_500, role=judging.ROLE))
        if phase.config.judge
        else (written,)
    )


def _inputs(run: PhaseContext, sources: list[Source]) -> list[Input]:
    brief = run.brief
    inputs = [data("question", brief.query), data("answers", brief.answers)]
    if plan := run.need_as("plan", Plan):
        inputs.append(data("plan", plan.model_dump(mode="json", include={"goal", "outline"})))
    inputs.append(data("findings", run.need_list("findings", Finding)))
    share = min(ONE_SOURCE_CHARS, ALL_SOURCES_CHARS // max(len(sources), 1))
    for number, source in enumerate(sources, start=1):
        page = BlobRef(key=source.text_key, chars=share)
        inputs.append(Input(name=f"source-{number}", text=f"{source.title}\n\n", blob=page))
    return inputs


def _structured(draft: DraftReport | DraftText) -> Report:
    """Return the draft as a report whose comparison has one cell a column."""
    if isinstance(draft, DraftText):
        claims = [claim.claim() for claim in draft.claims]
        return Report(
            title=draft.title,
            sections=[Section(heading=ANSWER, claims=claims, missing=draft.missing)],
        )
    comparison = None
    if draft.comparison and draft.comparison.columns and draft.comparison.rows:
        width = len(draft.comparison.columns)
        comparison = Comparison(
            columns=draft.comparison.columns,
            rows=[(row.label, _cells(row, width)) for row in draft.comparison.rows],
        )
    sections = [
        Section(
            heading=section.heading,
            claims=[claim.claim() for claim in section.claims],
            missing=section.missing,
        )
        for section in draft.sections
    ]
    return Report(title=draft.title, comparison=comparison, sections=sections)


def _cells(row: DraftRow, width: int) -> list[Cell]:
    drafts = [*row.cells, *[None] * width][:width]
    return [
        Cell(claim=DraftClaim(text=c.text, citations=[c]).claim()) if c else Cell() for c in drafts
    ]


KIND = Kind(
    phase=SynthesisPhase,
    handler=synthesis,
    output=SynthesisOutput,
    title="Write",
    description="Writes the report; code checks every quote, figure, name and date.",
    category="execute",
    icon="edit",
    needs=lambda phase: (
        Need("sources", many=True),
        Need("findings", phase.config.at_least > 0, many=True, at_least=phase.config.at_least),
        Need("searches", required=False),
        Need("plan", required=False),
        Need("brief", required=False),
    ),
    cacheable=lambda phase: not phase.config.living,
    prompts=(*prompts.FORMS.values(), judges.JUDGE),
    drafts=(*FORMS.values(), Entailments),
    agents=lambda phase: ("synthesizer", *((judging.ROLE,) if phase.config.judge else ())),
    tokens=tokens,
)
