"""The tools of agents: what each takes, and which role may use it."""

from pydantic import Field

from contracts.base import Contract, schema_of
from contracts.models import Tool


class WebSearchArgs(Contract):
    """What `web_search` takes."""

    query: str = Field(min_length=1, max_length=400)
    max_results: int = Field(default=5, ge=1, le=20)


class FetchUrlArgs(Contract):
    """What `fetch_url` takes."""

    url: str = Field(min_length=1, max_length=2_000, description="as a search result gave it")


ARGS: dict[str, type[Contract]] = {"web_search": WebSearchArgs, "fetch_url": FetchUrlArgs}

DESCRIPTIONS = {
    "web_search": "Search the web. Returns url, title and snippet of each hit.",
    "fetch_url": "Read one page. Returns its text as a numbered source to quote from.",
}

TOOLSETS: dict[str, tuple[str, ...]] = {
    "clarifier": (),
    "planner": (),
    "plan_reviewer": (),
    "researcher": ("web_search", "fetch_url"),
    "engineer": (),
    "step_reviewer": (),
    "strategist": (),
    "synthesizer": (),
    "validator": (),
}
"""Only researcher roles reach the web."""


def tools_named(names: tuple[str, ...] | list[str]) -> list[Tool]:
    """Return tools as a model sees them."""
    return [
        Tool(name=name, description=DESCRIPTIONS[name], input_schema=schema_of(ARGS[name]))
        for name in names
    ]


def tools_of(role: str) -> list[Tool]:
    """Return what a role may call; an unknown role may call nothing."""
    return tools_named(TOOLSETS.get(role, ()))
