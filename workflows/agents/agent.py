"""The function agent: model turns and tool calls, each its own activity, within bounds."""

import asyncio
from dataclasses import dataclass

from pydantic import BaseModel
from temporalio.exceptions import ActivityError

from contracts.base import Json, get_answer_schema
from contracts.models.call import Block, Input, Message, ModelResult, build_message, to_input
from contracts.runs.state import AgentCursor
from domain.source_registry import ToolError
from workflows.agents.toolbox import Toolbox
from workflows.checkpoints.approval import compute_cap_usd
from workflows.runtime.context import PhaseContext

MAX_CALLS_PER_TURN = 20
ENDING_ERRORS = ("budget-exceeded", "model-truncated", "model-refused", "output-invalid")
"""Errors that end an agent but keep its sources and its report."""


@dataclass(frozen=True)
class Agent:
    """One agent at work; its cursor in the phase's progress is whole whenever it waits."""

    run: PhaseContext
    toolbox: Toolbox
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

    @property
    def _cursor(self) -> AgentCursor:
        return self.run.me.progress.agent

    def list_calls(self, tool: str) -> list[Json]:
        """Return the inputs of all calls of a tool so far, in order."""
        blocks = [block for message in self._cursor.messages for block in message.content]
        return [b.input for b in blocks if b.type == "tool_use" and b.name == tool]

    async def work(self) -> tuple[Json | None, str]:
        """Return the typed answer and the reason for its end: completed or max_turns.

        Raises the failure of a model's call; the agent has then ended as well.
        """
        cursor = self._cursor
        cursor.messages = cursor.messages or [build_message(self.inputs, [])]
        while True:
            turn = cursor.turn + 1
            last = turn >= self.max_turns
            try:
                result = await self._call_model(turn, final=last)
            except ActivityError as error:
                self._stop(self.run.describe_failure(error).type, turn)
                raise
            calls = [block for block in result.content if block.type == "tool_use"]
            if last or not calls:
                return result.output, self._stop("max_turns" if last else "completed", turn)
            results = await self._call_tools(turn, calls, result.verified_inputs)
            if self.toolbox.editor:
                cursor.messages[:] = map(_drop_pages, cursor.messages)
            cursor.messages += [
                Message(role="assistant", content=result.content),
                Message(role="user", content=results),
            ]
            cursor.turn = turn
            self.run.me.memo.clear()  # the turn's finished calls need none any more

    async def _call_model(self, turn: int, *, final: bool) -> ModelResult:
        return await self.run.ask_model(
            f"{self.name}turn-{turn}",
            self.role,
            self.system,
            self._read_steering,
            plan_step=self.toolbox.plan_step,
            tools=self.toolbox.list_tools(),  # declared to the last: the conversation holds their calls
            may_call=not final,
            output_schema=get_answer_schema(self.output) if self.output else None,
            max_tokens=self.max_tokens,
            cap_usd=max(compute_cap_usd(self.run.state) - self.keep_usd, 0.000001),
            pages=self.run.list_citable_pages(),
        )

    def _read_steering(self) -> list[Message]:
        """Return the conversation with the steering since the agent's previous turn."""
        cursor = self._cursor
        if said := self.run.read_steering()[cursor.steers_heard :]:
            cursor.steers_heard += len(said)
            last = cursor.messages[-1]
            heard = Block(type="inputs", inputs=[to_input("steering", "\n".join(said))])
            cursor.messages[-1] = Message(role=last.role, content=[*last.content, heard])
        return cursor.messages

    async def _call_tools(
        self, turn: int, calls: list[Block], verified: dict[str, Json]
    ) -> list[Block]:
        """Return the results of tool calls, executed with their verified inputs."""
        outcomes = await asyncio.gather(
            *(
                self.toolbox.call(
                    f"{self.name}turn-{turn}-{n}",
                    call.model_copy(update={"input": verified.get(call.id, call.input)}),
                )
                for n, call in enumerate(calls[:MAX_CALLS_PER_TURN], start=1)
            )
        )
        refused = ToolError(f"at most {MAX_CALLS_PER_TURN} calls a turn")
        outcomes += [refused] * (len(calls) - MAX_CALLS_PER_TURN)
        return [self.toolbox.answer(call, o) for call, o in zip(calls, outcomes, strict=True)]

    def _stop(self, reason: str, turns: int) -> str:
        self.run.emit("StopEvent", {"result": reason, "turns": turns})
        return reason


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
