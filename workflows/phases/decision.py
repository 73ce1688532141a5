"""`decision`: what to do about what earlier phases gave, with their warnings and its own."""

from typing import Any

from contracts.base import Json, schema_of
from contracts.phases.decision import DecisionOutput, DecisionPhase, Recommendation
from contracts.report.drafts import DraftDecision
from contracts.report.research import Report
from domain.report.recommendation import opened_with
from workflows.agents.report_verification import finished
from workflows.checkpoints.approval import output_of
from workflows.phases.generate import Form, answered, found, given, kind_of
from workflows.prompts import generate as prompts
from workflows.runtime.context import PhaseContext

FORM = Form(DecisionPhase, "decider", prompts.DECISION, DraftDecision, DecisionOutput)


async def decision(phase: DecisionPhase, run: PhaseContext) -> DecisionOutput:
    """Decide once; code adds what the phases before warned of, and opens the report with it."""
    config = phase.config
    schema = _choosing(list(config.actions))
    said, claims = await answered(FORM, phase, run, given(config, run), schema)
    report = Report.model_validate(output_of(run.state, "report") or _blank(run))
    if config.output_schema is None:
        said |= {"caveats": [*_caveats(run)], "disclaimer": config.disclaimer}
        report = opened_with(Recommendation.model_validate(said), report)
    return DecisionOutput(
        decision=said,
        findings=found(claims),
        report=finished(run, report, run.state.sources, []),
    )


def _blank(run: PhaseContext) -> Json:
    return {"title": run.brief.query[:200], "sections": []}


def _choosing(actions: list[str]) -> Json:
    """Return the decision's schema, narrowed to the actions there are."""
    schema: Any = schema_of(DraftDecision)
    if not actions:
        return schema  # type: ignore[no-any-return]
    action = {**schema["properties"]["action"], "enum": actions}
    return {**schema, "properties": {**schema["properties"], "action": action}}


def _caveats(run: PhaseContext) -> list[str]:
    """Return the warnings of the phases it builds on, each once."""
    givers = {i for ids in run.state.resolved.bindings[run.me.id].values() for i in ids}
    told = [w for phase in run.state.phases if phase.id in givers for w in phase.warnings]
    return list(dict.fromkeys(told))


KIND = kind_of(
    FORM,
    "Decide",
    "Says what to do about what earlier phases gave, and what would change that.",
    "scale",
    handler=decision,
)
