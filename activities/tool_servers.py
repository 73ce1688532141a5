"""Activities on servers of tools (MCP): which tools they have, and calls of them."""

import asyncio
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import JsonValue
from temporalio import activity

from activities.confined.call_pool import Runner, run_in_thread
from activities.web.web_activities import store_page
from contracts.agents.server_tools import (
    CalledTool,
    CallToolRequest,
    ListedTools,
    ListToolsRequest,
    ServerTools,
    ToolAnswer,
    ToolArguments,
    ToolsListed,
)
from contracts.base import Json
from contracts.documents import UnreadPart
from contracts.errors import ToolServerFailed, ToolServerRefused
from contracts.evidence.sources import TOOL_RESULT, Source, ToolResultOrigin
from contracts.media_types import JSON, PLAIN
from contracts.models.batch import OpenBatch
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.problems import Problem
from contracts.runs.records import CallResult, CallSpec
from contracts.tool_servers import ToolServer, name_call, spell_tool
from domain.agents.private_words_in_queries import find_disclosed_words
from domain.agents.tool_servers import clip, offer_tools

if TYPE_CHECKING:
    from activities.calls.journaled_call import JournaledCalls
    from activities.calls.tool_calls import ToolCalls
    from activities.collections.run_documents import RunDocuments
    from activities.parsing.page_parser import PageParser
    from store.blobs import BlobStore

MAX_ERROR_CHARS, TITLE_CHARS = 2_000, 120
MAX_PAUSE_SECONDS = 5.0
"""Longest pause that a server may ask for before its list is requested again."""


class ToolServerClient(Protocol):
    """A client of servers of tools; ToolServerFailed and ToolServerRefused are its only errors."""

    async def list_tools(self, server: ToolServer) -> ListedTools:
        """Return all tools of a server."""
        ...

    async def call(self, request: CallToolRequest, key: str) -> CalledTool:
        """Return what a tool answers, if its server still is where and what was approved."""
        ...


@dataclass(frozen=True)
class ToolServerActivities:
    """Lists tools and calls them; a finished call is journaled and never made again."""

    _client: ToolServerClient
    _calls: "JournaledCalls"
    _tool_calls: "ToolCalls"
    _blobs: "BlobStore"
    _parser: "PageParser"
    _own: "RunDocuments"
    _run: Runner = run_in_thread

    @activity.defn(name="mcp.list")
    async def list_tools(self, request: ListToolsRequest) -> ToolsListed:
        """Return the tools that servers offer now; one that gives no list says why."""
        return ToolsListed(servers=await asyncio.gather(*map(self._list, request.servers)))

    @activity.defn(name="mcp.call")
    async def call(self, request: CallToolRequest) -> ToolAnswer:
        """Call a tool and return its result; one that may make changes is called at most once."""
        server, tool = request.server.name, request.tool.name
        args = ToolArguments(server=server, tool=tool, arguments=request.arguments)

        async def ask() -> ToolAnswer:
            await self._refuse_disclosure(request)
            settled = await self._calls.run(_specify(request), lambda _: self._make(request))
            answer = await self._read(request, settled.result)
            return answer.model_copy(update={"usage": settled.usage})

        return await self._tool_calls.run(
            request.scope, name_call(server, tool), args, ask, ToolAnswer
        )

    async def _list(self, server: ToolServer) -> ServerTools:
        try:
            try:
                listed = await self._client.list_tools(server)
            except ToolServerFailed as error:
                await asyncio.sleep(min(error.retry_after or 0.5, MAX_PAUSE_SECONDS))
                listed = await self._client.list_tools(server)
        except (ToolServerFailed, ToolServerRefused) as error:
            told = Notice.of("tools-unlisted", server=server.name, why=error.words)
            return ServerTools(name=server.name, notes=[told], cause=error.loss_cause)
        return await asyncio.to_thread(offer_tools, server, listed.address, listed.tools)

    async def _make(self, request: CallToolRequest) -> CallResult:
        """Call the tool and keep its answer before anything else is done with it."""
        await self._begin(request)
        scope = _specify(request).scope
        place = f"{scope.run_id}/{scope.phase_id}/{scope.attempt}"
        called = await self._client.call(request, f"{place}/{_specify(request).request_hash}")
        body = called.text.encode("utf-8", "replace")
        blob = await self._blobs.put(scope.tenant_id, scope.run_id, body)
        left: Json = {"images": called.images, "attachments": called.others}
        kept: Json = {"body": blob, "is_error": called.is_error, "left": left}
        at = datetime.now(UTC).isoformat(timespec="seconds")
        return CallResult(result=kept | {"at": at}, usage=Usage(usd=request.server.usd_per_call))

    async def _begin(self, request: CallToolRequest) -> None:
        """Record that a call with possible changes begins; raise ToolServerRefused if it has begun before."""
        if not request.tool.changes:
            return
        spec = _specify(request)
        noted = spec.model_copy(
            update={
                "kind": "tool",
                "request_hash": f"{spec.request_hash}-begun",
                "reserved_usd": 0.0,
            }
        )

        async def note(_: OpenBatch | None) -> CallResult:
            return CallResult(result={}, usage=Usage())

        if (await self._calls.run(noted, note)).reused:
            told = {"tool": request.tool.name, "server": request.server.name}
            raise ToolServerRefused(Notice.of("tool-call-unknown", **told))

    async def _read(self, request: CallToolRequest, kept: Json) -> ToolAnswer:
        """Return an answer as a source, read as any page is, in a confined process."""
        scope = request.scope
        body = await self._blobs.get(scope.tenant_id, str(kept["body"]))
        text = body.decode()
        if kept["is_error"] or not text.strip():
            return ToolAnswer(error=clip(text, MAX_ERROR_CHARS))
        kind = JSON if text.lstrip()[:1] in "[{" else PLAIN
        parsed = await self._parser.parse(body, kind, "utf-8", "", scope.tenant_id)
        left: Any = kept["left"]
        unread = [UnreadPart(code=code, count=n) for code, n in left.items() if n]
        return ToolAnswer(source=await self._store(request, body, parsed, str(kept["at"]), unread))

    async def _store(
        self, request: CallToolRequest, body: bytes, parsed: Any, at: str, unread: list[UnreadPart]
    ) -> Source:
        server, tool = request.server.name, request.tool.name
        told = clip(", ".join(map(_say, request.arguments.values())), TITLE_CHARS)
        title = f"{server} · {tool}: {told}" if told else f"{server} · {tool}"
        digest = _specify(request).request_hash[:16]
        return await store_page(
            self._blobs,
            request.scope,
            body,
            parsed,
            url=f"{TOOL_RESULT}{server}/{spell_tool(tool)}/{digest}",
            title=title if len(title) <= TITLE_CHARS else title[: TITLE_CHARS - 1] + "…",
            author="",
            publisher=server,
            retrieved_at=at,
            unread=[*unread, *parsed.unread],
            notes=[Notice.of("source-of-tool", server=server, tool=tool)],
            tool=ToolResultOrigin(server=server, tool=tool, arguments=request.arguments),
        )

    async def _refuse_disclosure(self, request: CallToolRequest) -> None:
        """Raise ToolServerRefused if a call would disclose the user's documents to a server."""
        scope = request.scope
        files = await self._own.list_files(scope)
        used = await self._own.list_collections(scope)
        passages, keys = await self._own.list_shown(scope, files, used)
        texts = await asyncio.gather(*(self._blobs.get(scope.tenant_id, key) for key in keys))
        if not (passages or texts):
            return
        said = "\n".join(_list_texts(request.arguments))
        told = await self._run(
            find_disclosed_words,
            *(said, request.approved, [*passages, *(text.decode() for text in texts)]),
            task="comparing a call with the user's files",
            tenant=scope.tenant_id,
        )
        if told:
            raise ToolServerRefused(Problem.at("arguments", "tool-discloses", words=told[0]))


def _list_texts(value: Any) -> Iterator[str]:
    """Yield the texts of an argument as the server gets them, and its keys after its values.

    Its JSON would not do: there, the escape of a newline glues two words to each other.
    """
    match value:
        case dict():
            for part in value.values():
                yield from _list_texts(part)
            yield from value
        case list():
            for part in value:
                yield from _list_texts(part)
        case _:
            yield str(value)


def _say(value: JsonValue) -> str:
    """Format an argument for a title."""
    return (
        " ".join(value.split()) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    )


def _specify(request: CallToolRequest) -> CallSpec:
    """Return the journaled call of a request."""
    server, price = request.server.name, request.server.usd_per_call
    asked = [server, request.tool.name, request.arguments]
    where: Json = {"name": f"{request.scope.name}/{server}"}
    if request.tool.changes:
        where["attempt"] = 1  # another attempt at the phase must not repeat the change
    return CallSpec(
        scope=request.scope.model_copy(update=where),
        kind="search",
        request_hash=hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest(),
        model=f"mcp:{server}",
        reserved_usd=0.0 if request.cap_usd is None else price,
        cap_usd=request.cap_usd or 0.0,
    )
