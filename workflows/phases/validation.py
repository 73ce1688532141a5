"""`validation`: what code can check of a report first; only its rules are put to a model."""

import re

from contracts.evidence.sources import Source
from contracts.models.inputs import data
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
from domain.report.report_claims import last_source, report_claims
from workflows.agents.source_checks import add_notes, check_sources, find_shortage
from workflows.agents.verification import finish_report
from workflows.prompts import validation as prompts
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Need, Tokens

NOTE = "Note: I could not reliably retrieve enough live sources to stand behind this answer"
REPORT_CHARS = 40_000


async def validation(phase: ValidationPhase, run: PhaseContext) -> ValidationOutput:
    """Check links, ages and publishers where they are asked for, the outline and the rules always."""
    config, plan = phase.config, run.approved_plan()
    report = Report.model_validate(run.need("report"))
    sources = _sources(run, report)
    asked_by = _asked_by(run.state.request.query, plan, config)
    cited = sorted({c.source for claim in report_claims(report) for c in claim.citations})
    checked: list[CheckedSource] = []
    if asked_by or config.always:
        checked = await check_sources(
            run, config.max_age_days, {n: sources[n - 1] for n in cited if n <= len(sources)}
        )
    shown = _without_notes(run, report, sources)
    rules = [
        await _judge_rule(run, n, rule, report, shown)
        for n, rule in enumerate(config.rules, start=1)
    ]
    headings = {section.heading.casefold() for section in report.sections}
    agreed = plan.outline if config.check_outline else []
    missing = [heading for heading in agreed if heading.casefold() not in headings]
    is_needed = bool(asked_by or config.always)
    few = find_shortage(checked, config) if is_needed else []
    problems = [*few, *_find_broken(missing, rules)]
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


def _sources(run: PhaseContext, report: Report) -> list[Source]:
    """Return the bound pages; all of the run's where the report cites others besides."""
    bound = run.need_list("sources", Source)
    return bound if last_source(report) <= len(bound) else list(run.state.sources)


def _asked_by(query: str, plan: Plan, config: ValidationConfig) -> list[str]:
    """Return the words of the question, or of what the plan requires, that ask for live sources."""
    said = set(re.findall(r"\w+", " ".join([query, *plan.requirements]).casefold()))
    return [word for word in config.words if word.casefold() in said]


def _find_broken(missing: list[str], rules: list[RuleVerdict]) -> list[str]:
    """Return what was agreed on and is not in the report."""
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
        [data("rule", rule), data("report", shown[:REPORT_CHARS])],
        DraftVerdict,
        max_tokens=800,
    )
    told = " ".join(claim.text for claim in report_claims(report))
    stands = bool(draft.quote.strip()) and _flat(draft.quote) in _flat(f"{told} {shown}")
    reason = draft.reason if stands or not draft.met else "no sentence of the report was quoted"
    return RuleVerdict(rule=rule, met=draft.met and stands, quote=draft.quote, reason=reason)


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


def _without_notes(run: PhaseContext, report: Report, sources: list[Source]) -> str:
    """Return the report as a model reads it: what code thinks of its sources would sway it."""
    if not any(source.notes for source in sources):
        return report.markdown
    bare = [source.model_copy(update={"notes": []}) for source in sources]
    return finish_report(run, report, bare, run.need_list("searches", Search)).markdown


def _add_note(
    run: PhaseContext, report: Report, sources: list[Source], problems: list[str]
) -> Report:
    """Return the report with what is wrong with it, and what was found out about its sources."""
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
