"""The function agent: model turns and tool calls, each its own activity, within bounds."""

import asyncio
from dataclasses import dataclass

from pydantic import BaseModel
from temporalio.exceptions import ActivityError

from contracts.base import Json, schema_of
from contracts.models.call import Block, Input, Message, ModelResult
from contracts.models.inputs import ask, data
from workflows.agents.toolbox import Toolbox
from workflows.checkpoints.approval import cap_usd
from workflows.runtime.context import PhaseContext

MAX_CALLS_PER_TURN = 20
EXCUSED = ("budget-exceeded", "model-truncated", "model-refused", "output-invalid")
"""What ends an agent without throwing away what it has read and written."""


@dataclass(frozen=True)
class AgentSpec:
    """Who the agent is and how far it may go."""

    role: str
    system: str
    inputs: list[Input]
    output: type[BaseModel] | None
    max_turns: int
    max_tokens: int = 3_000
    keep_usd: float = 0.0
    """Left unspent, so that later phases can still work with what was found."""
    name: str = ""
    """Begins the names of its calls, where several agents work in one attempt of a phase."""
    plan_step: str = ""


class Agent:
    """One agent at work; its cursor in the phase's progress is kept whole after every turn."""

    def __init__(self, run: PhaseContext, spec: AgentSpec, toolbox: Toolbox) -> None:
        self._run = run
        self._spec = spec
        self._toolbox = toolbox
        cursor = run.me.progress.agent
        self._messages = list(cursor.messages) or [ask(spec.inputs, [])]
        self._turn, self._heard = cursor.turn, cursor.steers_heard

    def asked_for(self, tool: str) -> list[Json]:
        """Return what each call of a tool was given so far, in order."""
        blocks = [block for message in self._messages for block in message.content]
        return [b.input for b in blocks if b.type == "tool_use" and b.name == tool]

    async def work(self) -> tuple[Json | None, str]:
        """Return the typed answer and why the agent ended: completed or max_turns.

        Raises the failure of a model's call; the agent has then ended as well.
        """
        while True:
            self._turn += 1
            last = self._turn >= self._spec.max_turns
            try:
                result = await self._think(final=last)
            except ActivityError as error:
                self._ended(None, self._run.fail_info(error).type)
                raise
            calls = [block for block in result.content if block.type == "tool_use"]
            if last or not calls:
                return self._ended(result.output, "max_turns" if last else "completed")
            results = await self._act(calls, result.verified_inputs)
            self._messages += [
                Message(role="assistant", content=result.content),
                Message(role="user", content=results),
            ]
            self._keep()

    async def _think(self, *, final: bool) -> ModelResult:
        spec = self._spec
        return await self._run.ask_model(
            f"{spec.name}turn-{self._turn}",
            spec.role,
            spec.system,
            self._listen,
            plan_step=spec.plan_step,
            tools=self._toolbox.tools(),  # declared to the last: the conversation holds their calls
            may_call=not final,
            output_schema=schema_of(spec.output) if spec.output else None,
            max_tokens=spec.max_tokens,
            cap_usd=max(cap_usd(self._run.state) - spec.keep_usd, 0.000001),
            pages=self._run.citable_pages(),
        )

    def _listen(self) -> list[Message]:
        """Return the conversation, with what humans said since the agent's previous turn."""
        said = self._run.steering()[self._heard :]
        if said:
            self._heard += len(said)
            last = self._messages[-1]
            heard = Block(type="inputs", inputs=[data("steering", "\n".join(said))])
            self._messages[-1] = Message(role=last.role, content=[*last.content, heard])
        return self._messages

    async def _act(self, calls: list[Block], verified: dict[str, Json]) -> list[Block]:
        """Return the results of tool calls; one that claims something is carried out as verified."""
        prepared = [
            self._toolbox.call(
                f"{self._spec.name}turn-{self._turn}-{i + 1}",
                call.model_copy(update={"input": verified.get(call.id, call.input)}),
            )
            if i < MAX_CALLS_PER_TURN
            else self._toolbox.refuse(call, f"at most {MAX_CALLS_PER_TURN} calls a turn")
            for i, call in enumerate(calls)
        ]
        outcomes = await asyncio.gather(*prepared)
        return [self._toolbox.answer(call, o) for call, o in zip(calls, outcomes, strict=True)]

    def _keep(self) -> None:
        """Keep the cursor; the turn's finished calls need no memo any more."""
        if self._toolbox.writes:
            self._messages[:-1] = map(set_aside, self._messages[:-1])
        cursor = self._run.me.progress.agent
        cursor.messages = list(self._messages)
        cursor.turn, cursor.steers_heard = self._turn, self._heard
        self._run.me.memo.clear()

    def _ended(self, output: Json | None, reason: str) -> tuple[Json | None, str]:
        self._run.emit("StopEvent", {"result": reason, "turns": self._turn})
        return output, reason


def set_aside(message: Message) -> Message:
    """Return a turn without the pages that were read in it: what they told is written down."""
    blocks = [
        block.model_copy(update={"inputs": [_without_page(i) for i in block.inputs]})
        if block.type == "tool_result"
        else block
        for block in message.content
    ]
    return message.model_copy(update={"content": blocks})


def _without_page(told: Input) -> Input:
    if told.blob is None:
        return told
    return Input(name=told.name, text=f"{told.text.rstrip()}\nread: before, in full\n\n")
