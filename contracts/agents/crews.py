"""A CrewAI crew as data: agents, tasks, and the request and result of one task."""

from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from contracts.agents.server_tools import GrantedTool
from contracts.agents.tool_definitions import TOOLSETS
from contracts.base import Contract, Json, Name, Note, Text, Wrong
from contracts.evidence.sources import FoundPage, ShownStretches, Source
from contracts.models.call import Input, WebRequest
from contracts.models.usage import Usage
from contracts.models.user_json_schema import ObjectSchema
from contracts.notices import Notice
from contracts.report.report import Search, Section
from contracts.runs.lost_inputs import LossCause, LostInput
from contracts.search import Chosen
from contracts.tool_servers import GrantedServers
from contracts.words import Language, say_name


class CrewAgent(Contract):
    """An agent of a crew."""

    id: Name = Field(description="what plan steps and `models` call it")
    works_as: Literal["researcher", "strategist"] = Field(
        default="researcher", description="the role whose tools it may use; only one has the web"
    )
    role: Text = Field(min_length=1, max_length=200, description="who it is, in CrewAI's sense")
    goal: Note = Field(min_length=1)
    backstory: Note = ""
    tools: list[Text] | None = Field(default=None, description="of its role's tools; left out: all")
    servers: GrantedServers = Field(default=[], exclude_if=lambda servers: not servers)

    @field_validator("tools")
    @classmethod
    def _within_role(cls, tools: list[str] | None, info: ValidationInfo) -> list[str] | None:
        role = info.data.get("works_as", "")
        allowed = TOOLSETS.get(role, ())
        if beyond := [tool for tool in tools or () if tool not in allowed]:
            told = {"tools": beyond} | ({"allowed": list(allowed)} if allowed else {})
            raise Wrong("tools-beyond-role", at="", role=role, **told)
        return tools

    @property
    def toolset(self) -> list[str]:
        """Return the names of its tools."""
        return list(TOOLSETS.get(self.works_as, ())) if self.tools is None else self.tools

    @property
    def reaches_out(self) -> bool:
        """Return whether it may use the web or tools of servers."""
        return bool(self.toolset or self.servers)


class CrewTask(Contract):
    """One agent's task, with typed output."""

    id: Name
    agent: Name = Field(description="the id of the agent that does it")
    title: Text = Field(
        default="",
        max_length=200,
        description="its heading in the report; left out: its id in words",
    )
    description: Note = Field(min_length=1)
    expected_output: Note = Field(min_length=1)
    output_schema: ObjectSchema | None = Field(
        default=None,
        description="JSON Schema of an object; left out: findings with their quotes, and gaps;"
        " `comparison` (columns, rows of label and cells) becomes the report's table, `sections` (heading,"
        " claims, ids of other tasks' sentences in `sentences`) its sections, and `superseded` (`sentence`, `by`)"
        " names the sentences that one of its own replaces",
    )
    context: list[Name] | None = Field(
        default=None,
        description="earlier tasks whose output it gets, and waits for; left out: all of them",
    )

    def name(self, language: Language) -> str:
        """Return what a reader calls the task."""
        return self.title or say_name(language, self.id)


class PlacedSection(Section):
    """A section of the report as the concluding task writes it: its own sentences, then those it places."""

    sentences: list[str] = Field(
        default=[], description="ids of other tasks' sentences that stand here, in reading order"
    )
    replaces: list[str] = Field(
        default=[], description="ids of other tasks' gaps that `missing` says in their place"
    )


class Superseded(Contract):
    """A sentence of another task that one of the concluding task's own replaces."""

    sentence: str = Field(description="its id")
    by: str = Field(description="the id of your sentence that is right in its place")


class CrewTaskRequest(WebRequest):
    """One task of a crew; every model and tool call in it is journaled under `scope`."""

    agent: CrewAgent
    task: CrewTask
    system: str = Field(default="", description="who the agent is, and the rules of its work")
    model: str
    output_schema: Json
    inputs: list[Input] = Field(description="the question, the plan's part, the steps of its role")
    context: list[Input] = Field(default=[], description="outputs of earlier tasks")
    sources: list[Source] = Field(default=[], description="read so far; their numbers stand")
    shown: ShownStretches = {}
    may_read: int = Field(ge=0, description="pages that may still be read")
    max_results: int
    search: Chosen = Field(default=[], description="search services that its agent asks")
    max_turns: int
    max_tokens: int
    cap_usd: float
    may_wait: bool = Field(
        default=False, description="a call that a budget leaves no room for waits for a human"
    )
    may_raise: bool = Field(
        default=False, description="a human is asked first where the cap does not pay for a turn"
    )
    kept_usd: float = Field(default=0.0, ge=0, description="of the cap, for later phases")
    left_usd: float = Field(default=0.0, ge=0, description="of the cap, for this task")
    named: list[str] = Field(default=[], description="the addresses that humans wrote in this run")
    approved: list[str] = Field(default=[], description="what humans wrote or approved")
    server_tools: list[GrantedTool] = Field(default=[], exclude_if=lambda tools: not tools)
    server_calls: dict[str, int] = Field(
        default={},
        exclude_if=lambda calls: not calls,
        description="how often it may call each server's tools",
    )

    @property
    def reaches_web(self) -> bool:
        """Return whether the agent has a tool that does."""
        return self.agent.reaches_out


class CrewTaskResult(Contract):
    """A task's output and sources; without output, `end_reason` and `failure` say why."""

    output: Json | None = None
    sources: list[Source] = Field(default=[], description="all read so far, in their order")
    shown: ShownStretches = {}
    searches: list[Search] = []
    found: dict[str, FoundPage] = Field(
        default={}, description="pages that its searches found, by the keys of their addresses"
    )
    unread: dict[str, LossCause] = Field(default={}, description="pages that failed, by URL")
    turns: int = 0
    lost_inputs: list[LostInput] = Field(default=[], description="pages that were cut")
    server_calls: dict[str, int] = Field(
        default={}, exclude_if=lambda calls: not calls, description="calls of each server's tools"
    )
    end_reason: str = "completed"
    failure: Notice | None = None
    usage: Usage = Usage()
