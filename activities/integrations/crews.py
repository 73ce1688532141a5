"""CrewAI: one agent and one task at a time, every call of the model and every tool over our own.

Import it after `crewai_env.disable_side_effects`. Retries, caches, memory, delegation and context handling are off:
Temporal, the journal and the definition decide those.
"""

from typing import Any

from crewai import Agent, Crew, Task, TaskOutput
from crewai.llms.base_llm import BaseLLM
from crewai.tools import BaseTool
from pydantic import PrivateAttr

from activities.calls.request_body import fence
from activities.crew.conversation import Said, Talk
from contracts.agents.crews import CrewTaskRequest
from contracts.agents.tools import ARGS, DESCRIPTIONS

CONTEXT_TOKENS = 200_000


class GatewayLLM(BaseLLM):
    """A model of CrewAI that is our gateway."""

    _talk: Talk = PrivateAttr()

    @classmethod
    def over(cls, talk: Talk, model: str) -> "GatewayLLM":
        """Return the model of one conversation."""
        made = cls(model=model, provider="greenlight")
        made._talk = talk
        return made

    def call(
        self, messages: str | list[Any], tools: list[Any] | None = None, *_: Any, **__: Any
    ) -> Any:
        """Return the answer's text, or the tool calls asked for; raises what ends the task."""
        said: list[Said] = (
            [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        )
        return self._talk.answer(said, may_call=bool(tools))

    # Without the mark CrewAI wraps `call` in retries of its own.
    call._crewai_rate_limit_wrapped = True  # type: ignore[attr-defined]

    def supports_function_calling(self) -> bool:
        """Tools are called by the model, not spelled out in text."""
        return True

    def get_input_tokens_count(self, messages: Any, *_: Any, **__: Any) -> int:
        """Return nothing to worry about: the definition bounds what is read."""
        return 0

    def get_context_window_size(self) -> int:
        """Return the tokens that fit, so that CrewAI never summarises on its own."""
        return CONTEXT_TOKENS


class OwnTool(BaseTool):
    """A tool of ours, as CrewAI calls it."""

    _talk: Talk = PrivateAttr()

    @classmethod
    def named(cls, name: str, talk: Talk) -> "OwnTool":
        """Return the tool of that name for one conversation."""
        made = cls(name=name, description=DESCRIPTIONS[name], args_schema=ARGS[name])
        made._talk = talk
        return made

    def _run(self, **arguments: Any) -> str:
        return self._talk.use(self.name, arguments)


def kickoff(request: CrewTaskRequest, talk: Talk) -> None:
    """Have one agent do one task; what earlier tasks gave is its context. Blocks."""
    asked, turns_with_tools = request.agent, request.max_turns - 1
    agent = Agent(  # type: ignore[call-arg] # its fields are its base's
        role=asked.role,
        goal=asked.goal,
        backstory=asked.backstory,
        llm=GatewayLLM.over(talk, request.model),
        tools=[OwnTool.named(name, talk) for name in asked.toolset] if turns_with_tools else [],
        max_iter=turns_with_tools or 1,  # then CrewAI asks once more, for the answer itself
        max_retry_limit=0,
        respect_context_window=False,
        allow_delegation=False,
        cache=False,
        verbose=False,
    )
    earlier = [_done(agent, fence(item, {})) for item in request.context]
    inputs = "\n\n".join(fence(item, {}) for item in request.inputs)
    task = Task(
        description=f"{request.task.description}\n\n{inputs}",
        expected_output=request.task.expected_output,
        agent=agent,
        context=earlier or None,
    )
    Crew(agents=[agent], tasks=[task], cache=False, memory=False, verbose=False).kickoff()


def _done(agent: Agent, raw: str) -> Task:
    """Return a task of which only the output matters."""
    output = TaskOutput(description="earlier", raw=raw, agent=agent.role)
    return Task(description="earlier", expected_output="earlier", agent=agent, output=output)
