"""Tool servers (MCP): those named by a definition or an installation, and their tools listed in a plan."""

import re
from typing import Annotated

from pydantic import Field, StringConstraints, field_validator, model_validator

from contracts.base import Contract, Wrong
from contracts.notices import Notice

PREFIX = "mcp__"
"""Prefix of a server tool's name for models; our own tools do not have it."""
MAX_CALLED_CHARS = 64
"""Characters of a tool's name that every provider takes."""
_ADDRESS = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?", re.IGNORECASE)
_UNNAMED = re.compile(r"[^A-Za-z0-9_-]")

SERVER_NAME = r"^[a-z][a-z0-9-]{0,15}$"
ServerName = Annotated[str, StringConstraints(pattern=SERVER_NAME)]
ToolName = Annotated[str, StringConstraints(min_length=1, max_length=128)]
GrantedServers = Annotated[
    list[ServerName],
    Field(max_length=8, description="servers of `mcp` whose tools its agents may call"),
]


class ToolServer(Contract):
    """A server of tools that the agents of a definition may call."""

    name: ServerName
    url: str = Field(
        default="",
        max_length=2_000,
        description="address of a public server that needs no key; left out: the installation's server of this name",
    )
    tools: list[ToolName] = Field(
        default=[], max_length=64, description="tools that are listed; left out: all that only read"
    )
    effects: list[ToolName] = Field(
        default=[],
        max_length=64,
        description="tools that are listed although their server does not say that they only read",
    )
    max_calls: int = Field(default=20, ge=1, le=200, description="of its tools, in a run")
    usd_per_call: float = Field(
        default=0.0, ge=0, le=100, allow_inf_nan=False, description="what its owner charges"
    )

    @field_validator("url")
    @classmethod
    def _require_address(cls, url: str) -> str:
        if url and not _ADDRESS.fullmatch(url):
            raise Wrong("tool-server-url")
        return url


class ToolServers(Contract):
    """The servers of tools of a definition."""

    servers: list[ToolServer] = Field(min_length=1, max_length=8)

    @model_validator(mode="after")
    def _require_unique(self) -> "ToolServers":
        names = [server.name for server in self.servers]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise Wrong("value-twice", names=twice)
        return self


class InstalledServer(Contract):
    """A server of tools that the operator lists: an address with its key, or a command that the worker starts."""

    url: str = ""
    key: str = Field(default="", description="sent as a bearer token")
    command: list[str] = []
    env: dict[str, str] = {}

    @model_validator(mode="after")
    def _has_one_place(self) -> "InstalledServer":
        if bool(self.url) == bool(self.command):
            raise ValueError("give either `url` or `command`")
        return self


class PlannedTool(Contract):
    """A tool as a plan lists it; the hash is over all that its server says of it."""

    name: str
    description: str = ""
    changes: bool = Field(description="its server does not say that it only reads")
    hash: str


class PlannedServer(Contract):
    """A server whose tools agents may call once the plan is approved."""

    name: str
    address: str = ""
    max_calls: int
    usd_per_call: float = 0.0
    tools: list[PlannedTool] = []
    notes: list[Notice] = Field(default=[], description="what of it is not listed, and why")


def name_call(server: str, tool: str) -> str:
    """Return what a model calls a tool of a server."""
    return f"{PREFIX}{server}__{spell_tool(tool)}"[:MAX_CALLED_CHARS]


def spell_tool(tool: str) -> str:
    """Return a tool's name in the characters that names of calls and addresses may have."""
    return _UNNAMED.sub("_", tool)


def is_server_call(name: str) -> bool:
    """Return whether a tool that a model calls is a server's."""
    return name.startswith(PREFIX)
