"""Tools of servers (MCP) in a run: listed for the plan that a human approves, and opened for agents once it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from temporalio.exceptions import ActivityError

from activities.tool_servers import ToolServerActivities
from contracts.agents.server_tools import (
    CallToolRequest,
    GrantedTool,
    ListToolsRequest,
    ServerTools,
    ToolAnswer,
)
from contracts.evidence.sources import Source
from contracts.models.call import Block, Input, Tool, build_inputs
from contracts.notices import Notice
from contracts.planning.plan import Plan
from contracts.runs.lost_inputs import LossCause, LostInput
from contracts.tool_servers import PlannedServer, ToolServer
from domain.agents.agent_tools import ToolError
from domain.agents.tool_servers import (
    describe_tools,
    explain_answer,
    keep_approved,
    plan_server,
    show_tool,
)
from domain.lost_inputs import explain_causes
from workflows.phase_context.context import PhaseContext
from workflows.runtime.failures import describe_cause, describe_failure

LISTING = "tool-servers"
"""Name of the activity that lists the tools of servers."""


@dataclass(frozen=True)
class ServerToolset:
    """The approved tools of servers in one phase, by the names under which models call them."""

    run: PhaseContext
    granted: Mapping[str, GrantedTool] = field(default_factory=dict)

    def list_tools(self) -> list[Tool]:
        """Return the tools as a model sees them."""
        return [
            show_tool(called, tool.server.name, tool.offered)
            for called, tool in self.granted.items()
        ]

    def choose(self, servers: Sequence[str]) -> "ServerToolset":
        """Return the tools of these servers."""
        kept = {n: tool for n, tool in self.granted.items() if tool.server.name in servers}
        return ServerToolset(self.run, kept)

    def describe(self) -> list[Input]:
        """Return the servers' descriptions of their tools as an input; empty without tools."""
        offered = {called: tool.offered for called, tool in self.granted.items()}
        return build_inputs(server_tools=[*describe_tools(offered)] or None)

    async def call(self, name: str, plan_step: str, call: Block) -> Source | ToolError:
        """Call a tool within the number of calls that the plan allows; failures are recorded and returned."""
        tool = self.granted[call.name]
        if not self._count(name, tool.server):
            return ToolError(f"no call of {tool.server.name} is left: use what was read")
        planned = tool.planned
        request = CallToolRequest(
            scope=self.run.calls.scope(name, plan_step),
            server=tool.server,
            address=tool.address,
            tool=planned,
            arguments=call.input,
            approved=self.run.humans.list_approved_words(),
        )
        label = f"{tool.server.name}: {planned.name}"
        try:
            answer: ToolAnswer = await self.run.calls.execute_activity(
                name, ToolServerActivities.call, request, summary=label
            )
        except ActivityError as error:
            cause, words = describe_cause(error), describe_failure(error).words
            told = Notice.of(
                "lost-tool-call", tool=planned.name, server=tool.server.name, why=[words]
            )
            self._record(tool.server.name, told, cause)
            return ToolError.of(words, cause)
        if answer.source:
            return answer.source
        told = explain_answer(tool, answer)
        _refuse(self.run, tool.server.name, told)
        return ToolError(answer.error or told.text)

    def _count(self, name: str, server: ToolServer) -> bool:
        """Count a call that is not counted yet; False where the plan allows no more, which is recorded."""
        counts = self.run.state.server_calls
        if name in self.run.me.memo:
            return True
        if counts.get(server.name, 0) >= server.max_calls:
            told = Notice.of("lost-tool-cap", server=server.name, n=server.max_calls)
            self._record(server.name, told, LossCause(reason="not-made"))
            return False
        counts[server.name] = counts.get(server.name, 0) + 1
        return True

    def _record(self, server: str, told: Notice, cause: LossCause) -> None:
        record_loss(self.run, server, told, cause)


def record_loss(run: PhaseContext, server: str, told: Notice, cause: LossCause) -> None:
    """Record that a server's tools returned nothing; the phase continues, and the reader is told."""
    lost = LostInput(kind="tool_server", name=server, causes=[cause], told=told, optional=True)
    run.losses.record(lost)


async def list_plan_servers(run: PhaseContext) -> list[PlannedServer]:
    """Return the servers that the definition grants to phases, with their tools, for a plan.

    Nothing about the run is sent to the servers.
    """
    definition = run.state.resolved.definition
    granted = {name for phase in definition.phases if phase.enabled for name in phase.servers}
    servers = [s for s in (definition.mcp.servers if definition.mcp else ()) if s.name in granted]
    if not servers:
        return []
    try:
        found = await _list_tools(run, servers, before_plan=True)
    except ActivityError as error:
        cause = describe_cause(error)
        found = [
            ServerTools(name=server.name, notes=[_note_unlisted(server, cause)], cause=cause)
            for server in servers
        ]
    return [plan_server(*each) for each in zip(servers, found, strict=True)]


async def open_toolset(run: PhaseContext, plan: Plan, granted: Sequence[str]) -> ServerToolset:
    """Return the tools that a phase's agents may call: granted, approved with the plan, and unchanged since.

    Other tools are recorded as losses for the reader, and the phase continues without them.
    """
    definition = run.state.resolved.definition
    known = {server.name: server for server in (definition.mcp.servers if definition.mcp else ())}
    planned = {server.name: server for server in plan.servers}
    wanted: list[ToolServer] = []
    for name in granted:
        listed = planned.get(name)
        if listed is None or name not in known:
            _refuse(run, name, Notice.of("tools-unplanned", server=name))
        elif listed.tools:
            limits = {"max_calls": listed.max_calls, "usd_per_call": listed.usd_per_call}
            wanted.append(known[name].model_copy(update=limits))
        else:
            for note in listed.notes:
                _refuse(run, name, note)
    if not wanted:
        return ServerToolset(run)
    try:
        found = await _list_tools(run, wanted)
    except ActivityError as error:
        cause = describe_cause(error)
        for server in wanted:
            record_loss(run, server.name, _note_unlisted(server, cause), cause)
        return ServerToolset(run)
    tools: dict[str, GrantedTool] = {}
    for server, each in zip(wanted, found, strict=True):
        kept, refused = keep_approved(planned[server.name], each)
        for told in refused:
            _refuse(run, server.name, told, each.cause)
        address = planned[server.name].address
        tools |= {
            called: GrantedTool(server=server, address=address, offered=tool)
            for called, tool in kept.items()
        }
    return ServerToolset(run, tools)


def _note_unlisted(server: ToolServer, cause: LossCause) -> Notice:
    return Notice.of("tools-unlisted", server=server.name, why=explain_causes([cause]))


def _refuse(run: PhaseContext, server: str, told: Notice, cause: LossCause | None = None) -> None:
    record_loss(run, server, told, cause or LossCause(reason="tool-server-refused"))


async def _list_tools(
    run: PhaseContext, servers: list[ToolServer], *, before_plan: bool = False
) -> list[ServerTools]:
    scope = run.calls.scope(LISTING)
    request = ListToolsRequest(scope=scope, servers=servers, before_plan=before_plan)
    label = ", ".join(server.name for server in servers)
    found = await run.calls.execute_activity(
        LISTING, ToolServerActivities.list_tools, request, summary=f"list tools: {label}"
    )
    return found.servers
