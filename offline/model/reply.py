"""The form of a reply, chosen by structure alone: a forced tool, calls, an instance of a schema, text."""

import hashlib
import json
from typing import Any

from offline.model.agent import OfflineAgent
from offline.model.answer_drafts import Writer
from offline.model.conversation import Conversation, Json
from offline.model.filler import Filler
from offline.model.material import Material


def reply(conversation: Conversation) -> tuple[list[Json], str]:
    """Return the content of the assistant's turn and why it stops."""
    material = Material(conversation)
    if (forced := conversation.forced_tool) in conversation.tools:
        arguments = Filler(conversation.tools[forced], Writer(material)).fill()
        return [make_tool_use(forced, arguments, 0)], "tool_use"
    agent = OfflineAgent(material)
    if calls := agent.choose_calls():
        done = sum(map(len, conversation.uses))
        uses = [make_tool_use(name, given, done + n) for n, (name, given) in enumerate(calls)]
        return uses, "tool_use"
    writer = Writer(material, is_editor=bool(agent.editor))
    if conversation.schema is None:
        text = writer.summary
    else:
        text = json.dumps(Filler(conversation.schema, writer).fill(), ensure_ascii=False)
    return [{"type": "text", "text": text}], "end_turn"


def make_tool_use(name: str, arguments: dict[str, Any], n: int) -> Json:
    """Return a tool call; the same call at the same place has the same id."""
    digest = hashlib.sha256(json.dumps([name, arguments, n], sort_keys=True).encode()).hexdigest()
    return {"type": "tool_use", "id": f"toolu_{digest[:24]}", "name": name, "input": arguments}
