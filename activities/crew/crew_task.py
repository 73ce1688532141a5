"""Activity that runs one task of a crew; its calls go through the model gateway and the journal."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from temporalio import activity

from activities.crew.conversation import CrewConversation, waits_for_human
from activities.crew.thread_bridge import ThreadBridge
from activities.temporal_failures import settles
from contracts.agents.crews import CrewTaskRequest, CrewTaskResult
from contracts.errors import (
    BudgetExceeded,
    GreenlightError,
    ModelBusy,
    ModelRefused,
    ModelTruncated,
    ModelUnreachable,
    OutputInvalid,
    StoreUnavailable,
)
from contracts.notices import Notice

if TYPE_CHECKING:
    from activities.calls.model_gateway import ModelGateway
    from activities.tool_servers import ToolServerActivities
    from activities.web.web_activities import WebActivities

Kickoff = Callable[[CrewTaskRequest, CrewConversation], None]
"""Runs the conversation of one task until its agent has answered; blocks."""

ENDING_ERRORS = (
    *(BudgetExceeded, ModelTruncated, ModelRefused, OutputInvalid),
    *(ModelBusy, ModelUnreachable),
)
"""Errors that end a task but keep the pages read; transient ones only at the last attempt."""


@dataclass(frozen=True)
class CrewActivities:
    """Runs crews' tasks; CrewAI controls the conversation but makes no calls of its own."""

    _kickoff: Kickoff
    _threads: Executor
    _gateway: "ModelGateway"
    _web: "WebActivities"
    _servers: "ToolServerActivities | None" = None

    @activity.defn(name="crews.work")
    async def work(self, request: CrewTaskRequest) -> CrewTaskResult:
        """Let an agent do its task; return its typed output and the sources it read.

        A retry replays the conversation from the journal: no finished call is made again.
        """
        bridge = ThreadBridge(self._threads)
        conversation = CrewConversation(request, self._gateway, self._web, bridge, self._servers)
        error: GreenlightError | None = None
        try:
            await bridge.run(self._kickoff, request, conversation)
        except ENDING_ERRORS as ending:
            is_asked = isinstance(ending, BudgetExceeded) and waits_for_human(request, ending)
            if is_asked or not settles(ending):
                raise
            error = ending
        except GreenlightError:
            raise
        except OSError as failed:  # such as a full disk, which is not the task's fault
            raise StoreUnavailable(Notice.of("crew-scratch", reason=str(failed))) from None
        except Exception as crash:  # noqa: BLE001 - CrewAI's own: its message may hold the prompt
            error = OutputInvalid(Notice.of("crew-ended", error=type(crash).__name__))
        if error is None and conversation.output is None:
            error = OutputInvalid(Notice.of("crew-no-answer"))
        return CrewTaskResult(
            output=None if error else conversation.output,
            sources=conversation.registry.sources,
            shown=conversation.registry.shown,
            searches=conversation.registry.searches,
            found=conversation.registry.found,
            unread=conversation.registry.unread,
            turns=conversation.number_of_turns,
            end_reason=_explain_end(conversation, error),
            failure=error.words if error else None,
            lost_inputs=conversation.lost_inputs,
            server_calls=dict(conversation.server_calls),
            usage=conversation.usage,
        )


def _explain_end(conversation: CrewConversation, error: GreenlightError | None) -> str:
    """Return why a task ended, also one that answered because its money was nearly used up."""
    if error is None and conversation.is_last:
        return BudgetExceeded.type()
    return error.type() if error else "completed"
