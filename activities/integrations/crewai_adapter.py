"""CrewAI: runs one agent on one task; all model and tool calls go through our own conversation.

Import it after `crewai_env.disable_side_effects`. Retries, caches, memory, delegation and context handling are off:
Temporal, the journal and the definition decide those.
"""

from typing import Any

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from crewai.tools import BaseTool
from crewai.utilities.task_output_storage_handler import TaskOutputStorageHandler
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SkipValidation

from activities.crew.conversation import CrewConversation, CrewMessage
from contracts.agents.crews import CrewTaskRequest
from contracts.agents.tool_definitions import ARGS, DESCRIPTIONS

CONTEXT_TOKENS = 200_000


class GatewayLLM(BaseLLM):
    """A CrewAI model that is backed by the model gateway."""

    conversation: SkipValidation[CrewConversation] = Field(exclude=True)

    def call(
        self, messages: str | list[Any], tools: list[Any] | None = None, *_: Any, **__: Any
    ) -> Any:
        """Return the answer's text or the tool calls; raises BridgeClosed once the task is over."""
        crew_messages: list[CrewMessage] = (
            [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        )
        return self.conversation.request_turn(crew_messages, may_call=bool(tools))

    # Without this attribute CrewAI wraps `call` in its own retries.
    call._crewai_rate_limit_wrapped = True  # type: ignore[attr-defined]

    def supports_function_calling(self) -> bool:
        """Return True: the model calls tools itself instead of writing the calls as text."""
        return True

    def get_input_tokens_count(self, messages: Any, *_: Any, **__: Any) -> int:
        """Return 0, because the definition limits what is read."""
        return 0

    def get_context_window_size(self) -> int:
        """Return the tokens that fit, so that CrewAI never summarizes."""
        return CONTEXT_TOKENS


class ConversationTool(BaseTool):
    """A tool that CrewAI calls through the conversation."""

    conversation: SkipValidation[CrewConversation] = Field(exclude=True)

    def _run(self, **arguments: Any) -> str:
        return self.conversation.call_tool(self.name, arguments)


class AnyArguments(BaseModel):
    """Accepts any arguments, because the tool's server validates them."""

    model_config = ConfigDict(extra="allow")


class NoTaskOutputs(TaskOutputStorageHandler):
    """Discards tasks' outputs: nobody reads them, and CrewAI's database fails on a full disk."""

    def __init__(self) -> None: ...

    def update(self, task_index: int, log: dict[str, Any]) -> None:
        """Do nothing."""

    def reset(self) -> None:
        """Do nothing."""


class ForgetfulCrew(Crew):
    """A crew that stores nothing."""

    _task_output_handler: TaskOutputStorageHandler = PrivateAttr(default_factory=NoTaskOutputs)


def kickoff(request: CrewTaskRequest, conversation: CrewConversation) -> None:
    """Run one agent on one task with CrewAI's loop and our conversation's prompts. Blocks."""
    member, tool_turns = request.agent, request.max_turns - 1
    known: dict[str, tuple[str, type[BaseModel]]] = {
        **{name: (DESCRIPTIONS[name], ARGS[name]) for name in member.toolset},
        **{alias: (called, AnyArguments) for alias, called in conversation.aliases.items()},
    }
    agent = Agent(  # type: ignore[call-arg] # its fields are its base's
        role=member.role,
        goal=member.goal,
        backstory=member.backstory,
        llm=GatewayLLM(model=request.model, provider="greenlight", conversation=conversation),
        tools=[
            ConversationTool(
                name=name, description=about, args_schema=schema, conversation=conversation
            )
            for name, (about, schema) in (known.items() if tool_turns else ())
        ],
        max_iter=tool_turns or 1,  # then CrewAI requests one more turn, for the answer
        max_retry_limit=0,
        respect_context_window=False,
        allow_delegation=False,
        cache=False,
        verbose=False,
    )
    task = Task(description=request.task.id, expected_output=request.task.id, agent=agent)
    crew = ForgetfulCrew(agents=[agent], tasks=[task], cache=False, memory=False, verbose=False)
    crew.kickoff()
