"""Requests to servers of tools, and what comes of them."""

from pydantic import Field

from contracts.base import Contract, Json
from contracts.evidence.sources import Source
from contracts.models.call import WebRequest
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.runs.lost_inputs import LossCause
from contracts.tool_servers import PlannedTool, ToolServer, name_call


class ListToolsRequest(WebRequest):
    """Servers to ask for their tools; nothing about the run is sent to them."""

    servers: list[ToolServer]
    before_plan: bool = Field(
        default=False, description="for the plan that a human is to approve; no tool is called"
    )

    @property
    def reaches_web(self) -> bool:
        """Whether an approved plan is needed: not to write one."""
        return not self.before_plan


class OfferedTool(PlannedTool):
    """A callable tool, with its arguments' schema and descriptions."""

    input_schema: Json = Field(description="of its arguments, without any text of its server's")
    about: dict[str, str] = Field(
        default={}, description="argument -> what its server says of it; shown as data alone"
    )


class ServerTools(Contract):
    """The tools of one server that may be listed in a plan."""

    name: str
    address: str = ""
    tools: list[OfferedTool] = []
    notes: list[Notice] = []
    cause: LossCause | None = Field(default=None, description="why it gave no list")


class ToolsListed(Contract):
    """The answers of several servers, in the order asked."""

    servers: list[ServerTools]


class GrantedTool(Contract):
    """A tool that agents may call: its server, where that is, and what was approved of it."""

    server: ToolServer
    address: str
    offered: OfferedTool

    @property
    def called(self) -> str:
        """Return what a model calls it."""
        return name_call(self.server.name, self.offered.name)

    @property
    def planned(self) -> PlannedTool:
        """Return it as the plan lists it."""
        return PlannedTool(**{n: getattr(self.offered, n) for n in PlannedTool.model_fields})


class CallToolRequest(WebRequest):
    """One call of a server's tool, as the approved plan lists it."""

    server: ToolServer
    address: str = Field(description="of the server, as approved")
    tool: PlannedTool
    arguments: Json
    cap_usd: float | None = Field(
        default=None, description="of the run; no call is made that would pass it"
    )
    approved: list[str] = Field(
        default=[],
        description="what humans wrote or approved: arguments say nothing else of own documents",
    )


class ToolArguments(Contract):
    """A call's arguments as shown in a run's log."""

    server: str
    tool: str
    arguments: Json


class ToolAnswer(Contract):
    """A tool's result: a source to cite, or the error it reports; neither if it returned no text."""

    source: Source | None = None
    error: str = ""
    usage: Usage = Field(default=Usage(), exclude_if=lambda usage: usage == Usage())


class ListedTools(Contract):
    """Where a server is, and its tools as it describes them."""

    address: str
    tools: list[Json]


class CalledTool(Contract):
    """A tool's result: its text, and the number of its parts that are not text."""

    text: str
    is_error: bool = False
    images: int = 0
    others: int = 0
