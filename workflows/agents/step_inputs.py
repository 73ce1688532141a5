"""What a step is given, bounded however many came before it, and how it stands in the report."""

from contracts.agents.steps import StepCursor, StepResult
from contracts.evidence.sources import Citation, Claim
from contracts.models.call import Input
from contracts.models.inputs import data
from contracts.phases.control import ControlConfig
from contracts.report.research import Finding, Plan, PlanStep, Section
from workflows.runtime.context import PhaseContext

CARRIED_CHARS = 12_000
"""Of what earlier steps summarised, and again of what they found, however many they are."""
_ASIDE = {"steps", "estimated_cost", "estimated_duration"}


def inputs_of(
    run: PhaseContext, config: ControlConfig, cursor: StepCursor, step: PlanStep, role: str
) -> list[Input]:
    """Return what the agent of a step is told."""
    brief = run.brief
    plan = Plan.model_validate(run.need("plan"))
    reads = role == "researcher" and config.web
    optional = {
        "max_sources": str(config.max_sources) if reads else "",
        "instructions": str(getattr(config, f"{role}_instructions")),
        "feedback": cursor.feedback,
    }
    return [
        data("question", brief.query),
        data("answers", brief.answers),
        data("plan", plan.model_dump(mode="json", exclude=_ASIDE)),
        data("steps", [step]),
        *_carried(cursor.done),
        *(data(name, text) for name, text in optional.items() if text),
    ]


def _carried(done: list[StepResult]) -> list[Input]:
    """Return what the steps so far gave; each has its share of the room, the newest findings first."""
    if not done:
        return []
    share = CARRIED_CHARS // len(done)
    earlier = [{"step": r.number, "name": r.name, "summary": r.summary[:share]} for r in done]
    return [data("earlier", earlier), data("findings", _newest(findings_of(done)))]


def _newest(findings: list[Finding]) -> list[Finding]:
    kept: list[Finding] = []
    room = CARRIED_CHARS
    for finding in reversed(findings):
        room -= len(finding.text) + len(finding.quote)
        if room < 0:
            break
        kept.insert(0, finding)
    return kept


def findings_of(done: list[StepResult]) -> list[Finding]:
    """Return what all steps found, in their order."""
    return [finding for result in done for finding in result.findings]


def section(result: StepResult) -> Section:
    """Return a step's part of the report: its findings, else its summary, which then has no quote."""
    claims: dict[str, list[Citation]] = {}
    for finding in result.findings:
        cited = Citation(source=finding.source, quote=finding.quote)
        claims.setdefault(finding.text, []).append(cited)
    stated = [Claim(text=text, citations=cited) for text, cited in claims.items()]
    unproven = [Claim(text=result.summary)] if result.summary.strip() else []
    missing = " ".join(result.gaps)
    return Section(heading=result.name, claims=stated or unproven, missing=missing)
