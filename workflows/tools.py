"""The tools of function agents: what the model sees of each, and which role may use it."""

from contracts.base import Contract, schema_of
from contracts.models import Tool
from contracts.tools import FetchUrlArgs, WebSearchArgs

ARGS: dict[str, type[Contract]] = {"web_search": WebSearchArgs, "fetch_url": FetchUrlArgs}

_DESCRIPTIONS = {
    "web_search": "Search the web. Returns url, title and snippet of each hit.",
    "fetch_url": "Read one page. Returns its text as a numbered source to quote from.",
}

TOOLSETS: dict[str, tuple[str, ...]] = {
    "clarifier": (),
    "planner": (),
    "plan_reviewer": (),
    "researcher": ("web_search", "fetch_url"),
    "synthesizer": (),
}
"""Only researcher roles reach the web."""


def tools_of(role: str) -> list[Tool]:
    """Return what a role may call; an unknown role may call nothing."""
    return [
        Tool(
            name=name,
            description=_DESCRIPTIONS[name],
            input_schema=schema_of(ARGS[name]),
        )
        for name in TOOLSETS.get(role, ())
    ]
