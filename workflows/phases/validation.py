"""`validation`: what code can check of a report first; only its rules are put to a model."""

import asyncio
import re
from datetime import datetime
from urllib.parse import urlsplit

from temporalio.exceptions import ActivityError

from activities.web import WebActivities
from contracts.drafts import DraftVerdict
from contracts.inputs import data
from contracts.phases.validation import (
    CheckedSource,
    RuleVerdict,
    Validation,
    ValidationConfig,
    ValidationOutput,
    ValidationPhase,
)
from contracts.research import Plan, Report, Search
from contracts.web import ProbeRequest, Source
from workflows.context import PhaseContext
from workflows.kinds import Kind, Need, Tokens
from workflows.prompts import validation as prompts
from workflows.reporting import claims_of, finished

NOTE = "Note: I could not reliably retrieve enough live sources to stand behind this answer"
REPORT_CHARS = 40_000


async def validation(phase: ValidationPhase, run: PhaseContext) -> ValidationOutput:
    """Check links, ages and publishers where they are asked for, the outline and the rules always."""
    config, plan = phase.config, run.approved_plan()
    report = Report.model_validate(run.need("report"))
    sources = run.need_list("sources", Source)
    asked_by = _asked_by(run.state.request.query, plan, config)
    cited = sorted({c.source for claim in claims_of(report) for c in claim.citations})
    checked: list[CheckedSource] = []
    if asked_by or config.always:
        checked = await _checked(run, config, {n: sources[n - 1] for n in cited})
    rules = [await _judged(run, n, rule, report) for n, rule in enumerate(config.rules, start=1)]
    headings = {section.heading.casefold() for section in report.sections}
    agreed = plan.outline if config.check_outline else []
    missing = [heading for heading in agreed if heading.casefold() not in headings]
    is_needed = bool(asked_by or config.always)
    problems = [*(_too_few(config, checked) if is_needed else []), *_broken(missing, rules)]
    found = Validation(
        verdict="insufficient" if problems else "passed" if is_needed or rules else "not_needed",
        asked_by=asked_by,
        sources=checked,
        missing_headings=missing,
        rules=rules,
        problems=problems,
    )
    noted = _noted(run, report, sources, problems) if problems else report
    return ValidationOutput(validation=found, report=noted)


def _asked_by(query: str, plan: Plan, config: ValidationConfig) -> list[str]:
    """Return the words of the question, or of what the plan requires, that ask for live sources."""
    said = set(re.findall(r"\w+", " ".join([query, *plan.requirements]).casefold()))
    return [word for word in config.words if word.casefold() in said]


async def _checked(
    run: PhaseContext, config: ValidationConfig, cited: dict[int, Source]
) -> list[CheckedSource]:
    """Return how each cited source stands now, all of them asked at once."""
    statuses = await asyncio.gather(*(_status(run, n, source) for n, source in cited.items()))
    checked = []
    for (position, source), status in zip(cited.items(), statuses, strict=True):
        age = _age_days(source.published, run.now())
        recent = age is not None and age <= config.max_age_days
        answered = status is not None and status < 400
        checked.append(
            CheckedSource(
                position=position,
                url=source.url,
                publisher=_publisher(source),
                age_days=age,
                status=status,
                counts=answered and recent,
            )
        )
    return checked


async def _status(run: PhaseContext, position: int, source: Source) -> int | None:
    name = f"source-{position}"
    request = ProbeRequest(
        scope=run.scope(name), url=source.url, plan_hash=run.approved_plan().hash
    )
    try:
        return (
            await run.call(name, WebActivities.probe, request, summary=f"still there: {source.url}")
        ).status
    except ActivityError as error:
        run.emit("Status", {"level": "warning", "message": run.fail_info(error).message})
        return None


def _age_days(published: str | None, now: str) -> int | None:
    try:
        day = datetime.fromisoformat(published or "").date()
    except ValueError:
        return None
    return (datetime.fromisoformat(now).date() - day).days


def _publisher(source: Source) -> str:
    """Return who stands behind a source, so far as its page or its address says."""
    return (source.publisher or urlsplit(source.url).hostname or "").casefold().removeprefix("www.")


def _too_few(config: ValidationConfig, checked: list[CheckedSource]) -> list[str]:
    live = [source for source in checked if source.counts]
    publishers = {source.publisher for source in live}
    problems = []
    if len(live) < config.min_sources:
        problems.append(
            f"{len(live)} of {len(checked)} cited sources answered and were at most "
            f"{config.max_age_days} days old; {config.min_sources} are needed"
        )
    if len(publishers) < config.min_publishers:
        problems.append(
            f"they are by {len(publishers)} independent publishers; {config.min_publishers} are needed"
        )
    return problems


def _broken(missing: list[str], rules: list[RuleVerdict]) -> list[str]:
    """Return what was agreed on and is not in the report."""
    return [
        *(f"the agreed section “{heading}” is missing" for heading in missing),
        *(f"it does not keep the rule “{rule.rule}”" for rule in rules if not rule.met),
    ]


async def _judged(run: PhaseContext, number: int, rule: str, report: Report) -> RuleVerdict:
    """Return a model's verdict on one rule; it counts only with a sentence of the report."""
    draft = await run.generate(
        f"rule-{number}",
        "validator",
        prompts.RULE,
        [data("rule", rule), data("report", report.markdown[:REPORT_CHARS])],
        DraftVerdict,
        max_tokens=800,
    )
    told = " ".join(claim.text for claim in claims_of(report))
    stands = bool(draft.quote.strip()) and _flat(draft.quote) in _flat(f"{told} {report.markdown}")
    reason = draft.reason if stands or not draft.met else "no sentence of the report was quoted"
    return RuleVerdict(rule=rule, met=draft.met and stands, quote=draft.quote, reason=reason)


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


def _noted(run: PhaseContext, report: Report, sources: list[Source], problems: list[str]) -> Report:
    searches = run.need_list("searches", Search)
    noted = report.model_copy(update={"notes": [f"{NOTE}: {'; '.join(problems)}."]})
    return finished(run, noted, sources, searches)


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
