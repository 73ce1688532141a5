"""The form of a reply, chosen by structure alone: tools, their results, the output schema."""

import hashlib
import json
from typing import Any

from greenlight.offline.model.agent import next_calls
from greenlight.offline.model.authors import Author
from greenlight.offline.model.bench import makings
from greenlight.offline.model.conversation import Conversation, Json
from greenlight.offline.model.evidence import prose
from greenlight.offline.model.fit import MISSING, fit
from greenlight.offline.model.onward import onward
from greenlight.offline.model.task import Task
from greenlight.offline.model.writing import writings


def reply(conversation: Conversation) -> tuple[list[Json], str]:
    """Return the content of the assistant's turn and why it stops."""
    task = Task(conversation)
    forced = next((t for t in conversation.tools if t.name == conversation.forced_tool), None)
    if forced:
        arguments = fit(forced.schema, MISSING, Author(task, forced.schema))
        return [tool_use(forced.name, arguments, 0)], "tool_use"
    calls = [*writings(task), *(next_calls(task) or onward(task))] or [
        (tool.name, fit(tool.schema, draft, Author(task, tool.schema)))
        for tool, draft in makings(task)
    ]
    if calls:
        done = len(conversation.calls)
        return [
            tool_use(name, given, done + n) for n, (name, given) in enumerate(calls)
        ], "tool_use"
    if conversation.schema is not None:
        value = fit(conversation.schema, MISSING, Author(task, conversation.schema))
        return [text(json.dumps(value, ensure_ascii=False))], "end_turn"
    return [text(prose(task))], "end_turn"


def text(body: str) -> Json:
    """Return a text block."""
    return {"type": "text", "text": body}


def tool_use(name: str, arguments: dict[str, Any], n: int) -> Json:
    """Return a tool call; the same call at the same place has the same id."""
    digest = hashlib.sha256(json.dumps([name, arguments, n], sort_keys=True).encode()).hexdigest()
    return {"type": "tool_use", "id": f"toolu_{digest[:24]}", "name": name, "input": arguments}
