"""The function agent: model turns and tool calls, each its own activity, within bounds."""

import asyncio
from dataclasses import dataclass

from pydantic import BaseModel
from temporalio.exceptions import ActivityError

from contracts.base import Json, get_answer_schema
from contracts.models.call import Block, Input, Message, ModelResult, build_message, to_input
from workflows.agents.toolbox import Toolbox
from workflows.checkpoints.approval import compute_cap_usd
from workflows.runtime.context import PhaseContext

MAX_CALLS_PER_TURN = 20
ENDING_ERRORS = ("budget-exceeded", "model-truncated", "model-refused", "output-invalid")
"""Errors that end an agent but keep its sources and its report."""


@dataclass(frozen=True)
class AgentSpec:
    """An agent's role, prompt, inputs and limits."""

    role: str
    system: str
    inputs: list[Input]
    output: type[BaseModel] | None
    max_turns: int
    max_tokens: int = 3_000
    keep_usd: float = 0.0
    """Budget that is left for later phases."""
    name: str = ""
    """Prefix of its calls' names, where several agents work in one attempt of a phase."""
    plan_step: str = ""


class Agent:
    """One agent at work; its cursor in the phase's progress is kept whole after every turn."""

    def __init__(self, run: PhaseContext, spec: AgentSpec, toolbox: Toolbox) -> None:
        self._run = run
        self._spec = spec
        self._toolbox = toolbox
        cursor = run.me.progress.agent
        self._messages = list(cursor.messages) or [build_message(spec.inputs, [])]
        self._turn, self._heard = cursor.turn, cursor.steers_heard

    def list_calls(self, tool: str) -> list[Json]:
        """Return the inputs of all calls of a tool so far, in order."""
        blocks = [block for message in self._messages for block in message.content]
        return [b.input for b in blocks if b.type == "tool_use" and b.name == tool]

    async def work(self) -> tuple[Json | None, str]:
        """Return the typed answer and the reason for its end: completed or max_turns.

        Raises the failure of a model's call; the agent has then ended as well.
        """
        while True:
            self._turn += 1
            last = self._turn >= self._spec.max_turns
            try:
                result = await self._call_model(final=last)
            except ActivityError as error:
                self._finish(None, self._run.describe_failure(error).type)
                raise
            calls = [block for block in result.content if block.type == "tool_use"]
            if last or not calls:
                return self._finish(result.output, "max_turns" if last else "completed")
            results = await self._call_tools(calls, result.verified_inputs)
            self._messages += [
                Message(role="assistant", content=result.content),
                Message(role="user", content=results),
            ]
            self._save_cursor()

    async def _call_model(self, *, final: bool) -> ModelResult:
        spec = self._spec
        return await self._run.ask_model(
            f"{spec.name}turn-{self._turn}",
            spec.role,
            spec.system,
            self._read_steering,
            plan_step=spec.plan_step,
            tools=self._toolbox.list_tools(),  # declared to the last: the conversation holds their calls
            may_call=not final,
            output_schema=get_answer_schema(spec.output) if spec.output else None,
            max_tokens=spec.max_tokens,
            cap_usd=max(compute_cap_usd(self._run.state) - spec.keep_usd, 0.000001),
            pages=self._run.list_citable_pages(),
        )

    def _read_steering(self) -> list[Message]:
        """Return the conversation with the steering since the agent's previous turn."""
        said = self._run.read_steering()[self._heard :]
        if said:
            self._heard += len(said)
            last = self._messages[-1]
            heard = Block(type="inputs", inputs=[to_input("steering", "\n".join(said))])
            self._messages[-1] = Message(role=last.role, content=[*last.content, heard])
        return self._messages

    async def _call_tools(self, calls: list[Block], verified: dict[str, Json]) -> list[Block]:
        """Return the results of tool calls, executed with their verified inputs."""
        prepared = [
            self._toolbox.call(
                f"{self._spec.name}turn-{self._turn}-{i + 1}",
                call.model_copy(update={"input": verified.get(call.id, call.input)}),
            )
            if i < MAX_CALLS_PER_TURN
            else self._toolbox.refuse(f"at most {MAX_CALLS_PER_TURN} calls a turn")
            for i, call in enumerate(calls)
        ]
        outcomes = await asyncio.gather(*prepared)
        return [self._toolbox.answer(call, o) for call, o in zip(calls, outcomes, strict=True)]

    def _save_cursor(self) -> None:
        """Keep the cursor; the turn's finished calls need no memo any more."""
        if self._toolbox.writes_report:
            self._messages[:-1] = map(_drop_pages, self._messages[:-1])
        cursor = self._run.me.progress.agent
        cursor.messages = list(self._messages)
        cursor.turn, cursor.steers_heard = self._turn, self._heard
        self._run.me.memo.clear()

    def _finish(self, output: Json | None, reason: str) -> tuple[Json | None, str]:
        self._run.emit("StopEvent", {"result": reason, "turns": self._turn})
        return output, reason


def _drop_pages(message: Message) -> Message:
    """Return a turn without the text of its pages: the report has what matters of them."""
    blocks = list(message.content)
    for n, block in enumerate(blocks):
        if block.type == "tool_result":
            inputs = [
                Input(name=i.name, text=f"{i.text.rstrip()}\nread: before, in full\n\n")
                if i.blob
                else i
                for i in block.inputs
            ]
            blocks[n] = block.model_copy(update={"inputs": inputs})
    return message.model_copy(update={"content": blocks})
