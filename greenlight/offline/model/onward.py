"""Reading on in a page that is longer than what was shown of it."""

import re

from greenlight.offline.model.agent import ToolCall
from greenlight.offline.model.task import Task
from greenlight.offline.text.words import stems

AT_ONCE = 4
LONGER = re.compile(r"^part: (\d+)-(\d+) of (\d+) characters$", re.MULTILINE)
SECTIONS = re.compile(r"^sections: (.+)$", re.MULTILINE)


def onward(task: Task) -> list[ToolCall]:
    """Return the calls that read sections on what is wanted; none where no tool reads on."""
    tool = next(
        (t for t in task.conversation.tools if t.argument("section") and reads(t.schema)), None
    )
    if tool is None:
        return []
    asked = {
        (call.arguments.get("source"), call.arguments.get("section"))
        for call in task.conversation.calls
    }
    wanted = [
        (source.number, heading)
        for source in task.sources
        for heading in unread(source.given)
        if stems(heading) & task.wanted.keys()
    ]
    fresh = [each for each in dict.fromkeys(wanted) if each not in asked]
    return [(tool.name, {"source": n, "section": heading}) for n, heading in fresh[:AT_ONCE]]


def reads(schema: dict[str, object]) -> bool:
    """Tell whether a tool takes the number of a source."""
    taken = schema.get("properties")
    return isinstance(taken, dict) and taken.get("source", {}).get("type") == "integer"


def unread(given: str) -> list[str]:
    """Return the sections that a source lists, if less than the whole of it was shown."""
    head = given.partition("\n\n")[0]
    listed = SECTIONS.search(head)
    return listed[1].split(" | ") if listed and LONGER.search(head) else []
