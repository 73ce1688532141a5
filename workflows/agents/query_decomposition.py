"""`decompose_query`: the open points and the aspects of a question, by a model without tools."""

from contracts.base import Json
from contracts.models.call import Block, Input
from contracts.phases.clarification import Constraints
from contracts.report.drafts import Decomposition
from domain.prompts import load_prompts
from workflows.runtime.context import PhaseContext
from workflows.runtime.recorder import log_tool_call

PROMPTS = load_prompts("workflows.prompts", "clarification")

NAME = "decompose_query"


def read_constraints(run: PhaseContext) -> Json | None:
    """Return the start's constraints on the question, if there are any."""
    return {name: value for name, value in run.inputs(Constraints) if value} or None


async def decompose_query(
    run: PhaseContext, name: str, role: str, inputs: list[Input]
) -> Decomposition:
    """Return the decomposition of a question, logged as a tool call; raises the model's failure."""
    was_logged = name in run.me.memo
    parts = await run.generate(
        name, role, PROMPTS["decomposition"], inputs, Decomposition, max_tokens=2_000
    )
    if not was_logged:
        known = {i.name: i.text for i in inputs if i.name in ("answers", "constraints")}
        kwargs: Json = {"initial_query": run.state.request.query, **known}
        call = Block(type="tool_use", id=f"{run.me.id}/{name}", name=NAME, input=kwargs)
        output: Json = {"clarifying_questions": [q.question for q in parts.questions]}
        output |= parts.model_dump(mode="json", exclude={"questions"})
        log_tool_call(run.emit, call, output, f"{len(parts.outline)} headings")
    return parts
