"""`synthesis`: the report; code locates every quote and checks every figure, name and date."""

import asyncio
from collections.abc import Iterator, Set
from dataclasses import replace

from activities.web.web_activities import WebActivities
from contracts.agents.tool_definitions import FetchUrlArgs
from contracts.base import Json
from contracts.evidence.claims import JUDGE, Claim
from contracts.evidence.sources import Source
from contracts.models.call import Input
from contracts.models.call import build_inputs as build_model_inputs
from contracts.models.model_drafts import ShortAnswer
from contracts.models.prices import MAX_ANSWER_TOKENS
from contracts.notices import Notice
from contracts.phases.base import Needs
from contracts.phases.research import ResearchPhase, ResearchSettings
from contracts.phases.synthesis import (
    SynthesisConfig,
    SynthesisInput,
    SynthesisOutput,
    SynthesisPhase,
)
from contracts.report.additions import ReportAdditions
from contracts.report.checks import Gap
from contracts.report.report import Report, Section
from contracts.words import say
from domain.agents.agent_tools import ask_for_parts
from domain.evidence.claims import find_claims, list_told, name_claims
from domain.evidence.conclusions import cite_bases, cite_known
from domain.evidence.figures.unfounded_figures import KnownFigures
from domain.prompts import load_prompts
from domain.report.changes.patches import fold_patches
from domain.report.claims.brought_bases import bring_bases
from domain.report.claims.report_claims import list_claims, replace_claims
from domain.report.findings_for_writer import list_findings
from domain.report.gaps.kept_gaps import keep_gaps, leave_out_told
from domain.run_outputs import find_output_as
from domain.sources.page_inputs import WHOLE_CHARS, build_page_inputs
from domain.sources.source_registry import is_long
from workflows.agents.agent import Agent
from workflows.agents.gap_check import (
    CHECK,
    check_report,
    list_not_held,
    look_up_gaps,
    look_up_given,
)
from workflows.agents.nothing_read import tell_nothing_read
from workflows.agents.report_editor import ReportEditor, finish_report
from workflows.agents.toolbox import Toolbox
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Tokens, Use
from workflows.phase_context.kind import Kind
from workflows.verification.answer_verification import NO_ANSWER

PROMPTS = load_prompts("workflows.prompts", "synthesis")

ROLE = "synthesizer"
ALL_SOURCES_CHARS = 180_000
ONE_SOURCE_CHARS = 18_000
MAX_ABOUT_CHARS = 400
"""Characters of a question by which the parts of long pages are chosen."""
TEXT_UPDATE_SIZE = 4_000
"""Characters of a text that one update may write: a section, as each call repeats its headings and ids."""
PLANNED = {
    *("goal", "requirements", "focus_areas", "measures"),
    *("assumptions", "outline", "depth", "as_of"),
}
FORMS: dict[str, tuple[str, type[Report | ShortAnswer]]] = {
    "report": (PROMPTS["report"], Report),
    "text": (PROMPTS["text"], ShortAnswer),
    "answer": (PROMPTS["text"], ShortAnswer),
    "from_report": (PROMPTS["from_report"], ShortAnswer),
}


async def synthesis(
    phase: SynthesisPhase, given: SynthesisInput, run: PhaseContext
) -> SynthesisOutput:
    """Write the report from the sources, or finish the living one, and render it with its quotes."""
    if report := tell_nothing_read(phase.config, given, run):
        return SynthesisOutput(report=report)
    return await _write(phase.config, given, run)


async def _write(
    config: SynthesisConfig, given: SynthesisInput, run: PhaseContext
) -> SynthesisOutput:
    """Return the report that a model writes, and the patches of a living one."""
    is_asked = config.form == "from_report"
    given = _name_findings(await read_base_report(given, run) if is_asked else given)
    place = say(run.language, "not-researched")
    phrased: list[Gap] = []
    try:
        if config.living:
            inputs = _build_last_inputs(given, run)
            draft = keep_gaps(_open_editor(config, given, run).report, given.gaps, place)
            phrased, gaps = await look_up_gaps(run, list_not_held(run, draft), inputs)
            report = await run_final_pass(config, given, run, [*inputs, *gaps])
        else:
            phrased, told = await look_up_given(run, given.gaps, given.findings, place)
            left = given.model_copy(update={"gaps": []}) if told else given
            inputs = [*build_inputs(left, run), *told]
            if is_asked and (base := run.state.resolved.base_report):
                inputs += build_model_inputs(report_question=base.question)
            report = await write_report(config, given, run, inputs)
    except NO_ANSWER as error:
        report = collect_what_is_there(config, given, run)
        if not list_claims(report):
            raise
        run.losses.go_on(error, Notice.of("report-unfinished"), "report")
        report = report.model_copy(update={"losses": run.me.notices[-1:]})
    report = list_not_held(run, keep_gaps(report, given.gaps, place))
    report = _mark_missing(given, run, leave_out_told(report, run.state.patches))
    report = await check_report(run, report, phrased=phrased)
    opened = run.state.sources[len(given.sources) :] if phrased and not config.living else []
    report = finish_report(run, report, [*given.sources, *opened], given.searches)
    return SynthesisOutput(report=report, patches=list(run.state.patches))


async def read_base_report(given: SynthesisInput, run: PhaseContext) -> SynthesisInput:
    """Return the sentences and pages of the finished report that the run asks; long pages are opened where they bear on it."""
    base = run.state.resolved.base_report
    if base is None:
        return given
    about = run.brief.query[:MAX_ABOUT_CHARS]

    async def open_parts(number: int, source: Source) -> None:
        name = f"page-{number}"
        args = FetchUrlArgs(url=source.url, about=about)
        request = ask_for_parts(source, args, run.calls.scope(name))
        request = request.model_copy(update={"is_stored": True})
        opened = await run.calls.execute_activity(name, WebActivities.open_parts, request)
        if spans := [(part.start, part.end) for part in opened.parts]:
            run.state.shown[source.content_hash] = spans

    pages = enumerate(base.sources, start=1)
    await asyncio.gather(*(open_parts(n, source) for n, source in pages if is_long(source)))
    told = list_claims(fold_patches(base.patches))
    known = {claim.id: claim for claim in told}
    return given.model_copy(
        update={
            "sources": base.sources,
            "findings": [
                cite_bases(claim, known).model_copy(update={"id": "", "rests_on": []})
                for claim in told
            ],
        }
    )


def _name_findings(given: SynthesisInput) -> SynthesisInput:
    """Return the inputs with a unique id for each finding."""
    named = name_claims([claim.model_dump(mode="json") for claim in given.findings])
    return given.model_copy(update={"findings": [*find_claims(named)]})


async def write_report(
    config: SynthesisConfig,
    given: SynthesisInput,
    run: PhaseContext,
    inputs: list[Input],
    approved: Set[str] = frozenset(),
) -> Report:
    """Return the report that one call writes, or with which the research ended, and add the findings on which it rests.

    Sentences keep the ids in `approved` that their writer named: those of findings that a human approved.
    """
    prompt, form = FORMS[config.form]
    known = {claim.id: claim for claim in given.findings if claim.is_usable}
    answer = given.answer if config.form == "answer" else None
    if answer and (config.instructions or run.me.feedback):  # written before these instructions
        answer = None
    draft: Report | ShortAnswer = answer or await run.calls.generate(
        "report",
        ROLE,
        "\n".join(filter(None, (prompt, config.instructions))),
        inputs,
        form,
        pages=run.list_citable_pages(),
        max_tokens=config.max_report_tokens,
        known={name: claim.as_premise for name, claim in known.items()},
    )
    title = _name_report(run, draft.title)
    if isinstance(draft, Report):
        table = draft.comparison
        told = {"title": title, "comparison": None if table and table.is_empty else table}
        report = draft.model_copy(update=told)
    else:
        heading = say(run.language, "answer")
        section = Section(heading=heading, claims=draft.claims, missing=draft.missing)
        report = Report(title=title, sections=[section])
    claims = [
        cite_known(claim, known).model_copy(
            update={"from_findings": [name for name in claim.rests_on if name in approved]}
        )
        for claim in list_claims(report)
    ]
    return bring_bases(replace_claims(report, claims), claims, known, run.language)


def _mark_missing(given: SynthesisInput, run: PhaseContext, report: Report) -> Report:
    """Mark the figures in lines on what was not found that no source or known text has."""
    known = [*run.list_given(), *list_told([*list_claims(report), *given.findings])]
    added = find_output_as(run.state, "additions", ReportAdditions)
    known += added.known if added else []
    known += [f"{source.title} {source.published}" for source in given.sources]
    figures = KnownFigures(known)
    sections = [
        section.model_copy(
            update={
                "missing": figures.name_unfounded(section.missing, run.language, is_missing=True)
            }
        )
        for section in report.sections
    ]
    return report.model_copy(update={"sections": sections})


def _name_report(run: PhaseContext, title: str) -> str:
    """Return a report's title, or the question if the title has unchecked figures."""
    question, *_ = asked = run.list_asked()
    return question[:300] if KnownFigures(asked).list_unfounded(title) else title


async def run_final_pass(
    config: SynthesisConfig, given: SynthesisInput, run: PhaseContext, inputs: list[Input]
) -> Report:
    """Return the living report after an agent with every page has changed it bit by bit."""
    editor = _open_editor(config, given, run)
    agent = Agent(
        run,
        Toolbox(run, ROLE, editor=editor),
        role=ROLE,
        system="\n".join(filter(None, (PROMPTS["living"], config.instructions))),
        inputs=inputs,
        output=None,
        max_turns=config.max_turns,
        max_tokens=config.max_report_tokens,
        thinking_tokens=config.draft_thinking_tokens,
        entering=build_model_inputs(
            entering=PROMPTS["entering"],
            client=[statement.model_dump() for statement in run.brief.statements],
            findings=list_findings(fold_patches(run.state.patches)),
        ),
        review="" if run.state.resolved.depth == "quick" else PROMPTS["review"],
    )
    await agent.work()
    return editor.report


def collect_what_is_there(
    config: SynthesisConfig, given: SynthesisInput, run: PhaseContext
) -> Report:
    """Return the current living report or, if nothing is written, the findings by phase."""
    report = _open_editor(config, given, run).report
    if run.state.patches:
        return report
    found: list[Json] = [
        {"heading": phase.title, "claims": (phase.output or {}).get("findings", [])}
        for phase in run.state.providers(run.me.id, "findings")
    ]
    sections = [Section.model_validate(section) for section in found if section["claims"]]
    return report.model_copy(update={"sections": sections})


def _open_editor(config: SynthesisConfig, given: SynthesisInput, run: PhaseContext) -> ReportEditor:
    return ReportEditor(run, given.plan, _find_update_size(run, config), may_end=True)


def _find_update_size(run: PhaseContext, config: SynthesisConfig) -> int:
    """Return how much an update of the text may write: a size that is set for the research holds here too."""
    default = ResearchSettings().max_report_update_size
    sizes = (
        phase.config.max_report_update_size
        for phase in run.state.resolved.definition.phases
        if isinstance(phase, ResearchPhase) and phase.config.living
    )
    own = next((size for size in sizes if size != default), TEXT_UPDATE_SIZE)
    return config.max_report_update_size or own


def estimate_tokens(phase: SynthesisPhase) -> tuple[Tokens, ...]:
    """Return the tokens that the report is expected to take, and the judge of its claims."""
    slack = 2 * phase.config.max_report_tokens
    if (
        phase.config.living
    ):  # a turn over findings and pages, and one that reads both again from the cache
        page, document = Use(1_000, 160, texts=1.35), Use(4_000, 900)
        plain = Tokens(Use(15_000, 3_300), page=page, document=document, slack=slack, role=ROLE)
        left = MAX_ANSWER_TOKENS - phase.config.max_report_tokens
        thinking = min(phase.config.draft_thinking_tokens, left)
        # The turn after a draft with thinking reads nothing of it from the cache.
        once = Use(plain.once.input + 2_000, plain.once.output + thinking / 2)
        apart = replace(plain, once=once, page=page._replace(texts=2.25), slack=slack + thinking)
        written = replace(plain, thoughtful=apart if thinking else None)
        return written, plain.judged(2), CHECK
    match phase.config.form:
        case "report":
            written = Tokens(Use(4_000, 1_000), page=Use(650, 60), slack=slack, role=ROLE)
            return *written.verified(), CHECK
        case "text":
            page, company = Use(650), Use(6_000, 1_300)
            text = Tokens(Use(9_000, 1_500), page=page, subject=company, slack=slack, role=ROLE)
            return *text.verified(), CHECK
        case "from_report":
            asked = Tokens(Use(4_000, 500), page=Use(1_200), slack=slack, role=ROLE)
            return *asked.verified(), CHECK
        case "answer":  # already written
            return Tokens(slack=slack, role=ROLE), CHECK


def build_inputs(given: SynthesisInput, run: PhaseContext, **more: object) -> list[Input]:
    """Return what a report is written from: the plan, what was found, and the pages while they fit."""
    inputs = run.build_inputs(
        plan=given.plan and given.plan.tell(run.language, include=PLANNED),
        scope=run.state.terms.searched and run.state.terms.searched.text,
        gaps=given.gaps or None,
        findings=[claim.as_finding for claim in given.findings] or None,
        **more,
    )
    return [*inputs, *_show_pages(run, given.sources, given.findings)]


def _build_last_inputs(given: SynthesisInput, run: PhaseContext) -> list[Input]:
    """Return what a living report's text is drafted from: the pages, in the parts that the findings cite."""
    written = list_claims(fold_patches(run.state.patches))
    left = given.model_copy(
        update={"sources": [], "gaps": []} | ({"findings": []} if written else {})
    )
    return [*build_inputs(left, run), *_show_pages(run, given.sources, written or given.findings)]


def _show_pages(run: PhaseContext, sources: list[Source], claims: list[Claim]) -> Iterator[Input]:
    room = min(ONE_SOURCE_CHARS * (len(sources) - 1) + WHOLE_CHARS, ALL_SOURCES_CHARS)
    cited = [citation for claim in claims for citation in claim.citations]
    pages = dict(enumerate(sources, start=1))
    return build_page_inputs(pages, room, cited, run.state.shown)


def adapt_needs(phase: SynthesisPhase, needs: Needs) -> Needs:
    """Return the needs with findings of as many phases as configured; the form decides on sources and answer."""
    config = phase.config
    findings = replace(needs["findings"], required=config.at_least > 0, at_least=config.at_least)
    sources = replace(needs["sources"], required=config.form != "from_report")
    used = needs if config.form == "answer" else {k: v for k, v in needs.items() if k != "answer"}
    return used | {"findings": findings, "sources": sources}


KIND = Kind(
    handler=synthesis,
    category="execute",
    icon="edit",
    adapt_needs=adapt_needs,
    cacheable=lambda phase: not phase.config.living,
    prompts=tuple(PROMPTS.values()),
    drafts=(Report, ShortAnswer),
    agents=lambda _: (ROLE, JUDGE),
    tokens=estimate_tokens,
)
