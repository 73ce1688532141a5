"""`validation`: a report's sources and outline, checked by code; its rules, judged by a model."""

import re

from contracts.evidence.sources import Source
from contracts.models.inputs import to_input
from contracts.phases.validation import (
    CheckedSource,
    RuleVerdict,
    Validation,
    ValidationConfig,
    ValidationOutput,
    ValidationPhase,
)
from contracts.report.drafts import DraftVerdict
from contracts.report.research import Plan, Report, Search
from domain.report.report_claims import find_last_source, list_claims
from workflows.agents.source_checks import add_notes, check_sources, find_shortage
from workflows.agents.verification import finish_report
from workflows.prompts import validation as prompts
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Need, Tokens

NOTE = "Note: I could not reliably retrieve enough live sources to stand behind this answer"
REPORT_CHARS = 40_000


async def validation(phase: ValidationPhase, run: PhaseContext) -> ValidationOutput:
    """Check the outline and the rules, and the sources where the question or the config asks for it."""
    config, plan = phase.config, run.require_approved_plan()
    report = Report.model_validate(run.need("report"))
    sources = _select_sources(run, report)
    asked_by = _find_timely_words(run.state.request.query, plan, config)
    cited = sorted({c.source for claim in list_claims(report) for c in claim.citations})
    checked: list[CheckedSource] = []
    if asked_by or config.always:
        checked = await check_sources(
            run, config.max_age_days, {n: sources[n - 1] for n in cited if n <= len(sources)}
        )
    shown = _render_without_notes(run, report, sources)
    rules = [
        await _judge_rule(run, n, rule, report, shown)
        for n, rule in enumerate(config.rules, start=1)
    ]
    headings = {section.heading.casefold() for section in report.sections}
    agreed = plan.outline if config.check_outline else []
    missing = [heading for heading in agreed if heading.casefold() not in headings]
    is_needed = bool(asked_by or config.always)
    few = find_shortage(checked, config) if is_needed else []
    problems = [*few, *_list_broken(missing, rules)]
    found = Validation(
        verdict="insufficient" if problems else "passed" if is_needed or rules else "not_needed",
        asked_by=asked_by,
        sources=checked,
        missing_headings=missing,
        rules=rules,
        problems=problems,
    )
    return ValidationOutput(
        validation=found, report=_add_note(run, report, add_notes(sources, checked), problems)
    )


def _select_sources(run: PhaseContext, report: Report) -> list[Source]:
    """Return the bound sources; all of the run's where the report cites others."""
    bound = run.need_list("sources", Source)
    return bound if find_last_source(report) <= len(bound) else list(run.state.sources)


def _find_timely_words(query: str, plan: Plan, config: ValidationConfig) -> list[str]:
    """Return the words of the question or of the plan's requirements that ask for live sources."""
    said = set(re.findall(r"\w+", " ".join([query, *plan.requirements]).casefold()))
    return [word for word in config.words if word.casefold() in said]


def _list_broken(missing: list[str], rules: list[RuleVerdict]) -> list[str]:
    """Return the agreed sections and rules that the report lacks."""
    return [
        *(f"the agreed section “{heading}” is missing" for heading in missing),
        *(f"it does not keep the rule “{rule.rule}”" for rule in rules if not rule.met),
    ]


async def _judge_rule(
    run: PhaseContext, number: int, rule: str, report: Report, shown: str
) -> RuleVerdict:
    """Return a model's verdict on one rule; it counts only with a sentence of the report."""
    draft = await run.generate(
        f"rule-{number}",
        "validator",
        prompts.RULE,
        [to_input("rule", rule), to_input("report", shown[:REPORT_CHARS])],
        DraftVerdict,
        max_tokens=800,
    )
    told = " ".join(claim.text for claim in list_claims(report))
    stands = bool(draft.quote.strip()) and _normalize(draft.quote) in _normalize(f"{told} {shown}")
    reason = draft.reason if stands or not draft.met else "no sentence of the report was quoted"
    return RuleVerdict(rule=rule, met=draft.met and stands, quote=draft.quote, reason=reason)


def _normalize(text: str) -> str:
    return " ".join(text.casefold().split())


def _render_without_notes(run: PhaseContext, report: Report, sources: list[Source]) -> str:
    """Return the report without the notes on its sources, which would bias a model."""
    if not any(source.notes for source in sources):
        return report.markdown
    bare = [source.model_copy(update={"notes": []}) for source in sources]
    return finish_report(run, report, bare, run.need_list("searches", Search)).markdown


def _add_note(
    run: PhaseContext, report: Report, sources: list[Source], problems: list[str]
) -> Report:
    """Return the report with its problems as a note and the checked sources' notes."""
    if not problems and sources == run.need_list("sources", Source):
        return report
    notes = [f"{NOTE}: {'; '.join(problems)}."] if problems else report.notes
    noted = report.model_copy(update={"notes": notes})
    return finish_report(run, noted, sources, run.need_list("searches", Search))


KIND = Kind(
    phase=ValidationPhase,
    handler=validation,
    output=ValidationOutput,
    title="Validate",
    description="Asks whether cited sources are live, recent and independent; says so in the report.",
    category="execute",
    icon="shield-check",
    needs=lambda _: (
        Need("report"),
        Need("sources"),
        Need("plan"),
        Need("searches", required=False),
    ),
    web=lambda _: True,
    agents=lambda _: ("validator",),
    tokens=lambda phase: (
        Tokens(4_000 * len(phase.config.rules), 120 * len(phase.config.rules), role="validator"),
    ),
)
