"""`decompose_query`: what a question leaves open and falls into; it reaches nothing but a model."""

from contracts.base import Json
from contracts.models.call import Input
from contracts.models.inputs import data
from contracts.phases.clarification import Constraints
from contracts.report.drafts import Decomposition
from workflows.prompts import query_decomposition as prompts
from workflows.report.tool_events import tell
from workflows.runtime.context import PhaseContext

NAME = "decompose_query"


def read_constraints(run: PhaseContext) -> list[Input]:
    """Return what the start narrows the question to, if it does."""
    told = {name: value for name, value in run.inputs(Constraints) if value}
    return [data("constraints", told)] if told else []


async def decompose_query(
    run: PhaseContext, name: str, role: str, inputs: list[Input]
) -> Decomposition:
    """Return the question taken apart, told as the tool call that it is; raises the model's failure."""
    told_before = name in run.me.memo
    parts = await run.generate(
        name, role, prompts.DECOMPOSE, inputs, Decomposition, max_tokens=2_000
    )
    if not told_before:
        given = {i.name: i.text for i in inputs if i.name in ("answers", "constraints")}
        kwargs: Json = {"initial_query": run.state.request.query, **given}
        call: Json = {"tool_id": f"{run.me.id}/{name}", "tool_name": NAME, "tool_kwargs": kwargs}
        gave: Json = {"clarifying_questions": [q.question for q in parts.questions]}
        gave |= parts.model_dump(mode="json", exclude={"questions"})
        tell(run.emit, call, gave, f"{len(parts.outline)} headings")
    return parts
