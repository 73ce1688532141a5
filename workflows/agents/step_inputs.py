"""The inputs of a step, bounded however many came before it, and its section of the report."""

from contracts.agents.steps import StepCursor, StepResult
from contracts.evidence.claims import Claim
from contracts.models.call import Input
from contracts.models.inputs import data
from contracts.phases.control import ControlConfig
from contracts.report.research import Plan, PlanStep, Section
from domain.evidence.verification import verify_claim
from workflows.runtime.context import PhaseContext

CARRIED_CHARS = 12_000
"""Of what earlier steps summarised, and again of what they found, however many they are."""
_ASIDE = {"steps", "estimated_cost", "estimated_duration"}


def step_inputs(
    run: PhaseContext, config: ControlConfig, cursor: StepCursor, step: PlanStep, role: str
) -> list[Input]:
    """Return the inputs of the agent of a step."""
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
        *_earlier(cursor.done),
        *(data(name, text) for name, text in optional.items() if text),
    ]


def _earlier(done: list[StepResult]) -> list[Input]:
    """Return what the steps so far gave; each has its share of the room, the newest findings first."""
    if not done:
        return []
    share = CARRIED_CHARS // len(done)
    earlier = [{"step": r.number, "name": r.name, "summary": r.summary[:share]} for r in done]
    return [
        data("earlier", earlier),
        data("findings", [f.as_written for f in _newest(all_findings(done))]),
    ]


def _newest(findings: list[Claim]) -> list[Claim]:
    kept: list[Claim] = []
    room = CARRIED_CHARS
    for finding in reversed(findings):
        room -= len(finding.text) + sum(len(cited.quote) for cited in finding.citations)
        if room < 0:
            break
        kept.insert(0, finding)
    return kept


def all_findings(done: list[StepResult]) -> list[Claim]:
    """Return the findings of all steps, in their order."""
    return [finding for result in done for finding in result.findings]


def step_section(result: StepResult) -> Section:
    """Return a step's part of the report: its findings, else its summary, which then has no quote."""
    summary = Claim(text=result.summary, citations=[])
    unproven = [verify_claim(summary, {})] if result.summary.strip() else []
    missing = " ".join(result.gaps)
    return Section(heading=result.name, claims=result.findings or unproven, missing=missing)
