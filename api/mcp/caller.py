"""The caller of a tool, their client, and the wording of refusals."""

import functools
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from pydantic import ValidationError
from starlette.requests import Request

from api.dependencies import Dependencies
from api.errors import choose_language
from api.runs.service import RunService
from contracts.access.principal import Principal
from contracts.errors import GreenlightError, InvalidInput, NotFound
from contracts.human.approvers import MAX_CLIENT_CHARS
from contracts.problems import list_problems
from contracts.words import Language

Params = ParamSpec("Params")
Result = TypeVar("Result")
ToolContext = Context[Any, Request]
INPUT_REQUIRED_SINCE = "2026-07-28"
"""The first protocol version in which a tool's result asks for input; before, the server sends a request."""
UNNAMED = "?"
"""Client that gives itself no name; recorded with a decision, so it is in no language."""
_UNPRINTABLE = re.compile(r"[^\w .,:;/@()+-]+")


@dataclass(frozen=True)
class ToolCaller:
    """The principal behind a call, and the program that makes it."""

    deps: Dependencies
    holder: Principal
    """The principal of the key in HTTP and links."""
    client: str
    """The client, as it calls itself."""

    @property
    def principal(self) -> Principal:
        """The principal of the call.

        MCP does not prove a human's presence, so only the scope `approve` may decide.
        """
        if self.holder.scope in {"approve", "admin"}:
            return self.holder
        return self.holder.model_copy(update={"scope": "ask"})

    async def find_run(self, run_id: str) -> RunService:
        """Return the service of a run.

        Raises:
            NotFound: The run is unknown, or another tenant's.
        """
        return await RunService.find(self.deps, self.principal, run_id)


def identify(ctx: ToolContext) -> ToolCaller:
    """Return who calls; the route has authenticated the request."""
    request = ctx.request_context.request
    assert request is not None  # a tool is called over HTTP alone
    params = ctx.session.client_params
    named = params.client_info.name if params else ""
    client = _UNPRINTABLE.sub(" ", named).strip()[:MAX_CLIENT_CHARS]
    return ToolCaller(request.app.state.dependencies, request.state.principal, client or UNNAMED)


def asks_by_result(ctx: ToolContext) -> bool:
    """Return whether the result of a call asks a client's user; in older protocols a request during the call does."""
    return (ctx.protocol_version or "") >= INPUT_REQUIRED_SINCE


def refuse_in_words(
    tool: Callable[Params, Awaitable[Result]],
) -> Callable[Params, Awaitable[Result]]:
    """Wrap a tool so that refusals become results that a model can read."""

    @functools.wraps(tool)
    async def call(*args: Params.args, **given: Params.kwargs) -> Result:
        try:
            return await tool(*args, **given)
        except (GreenlightError, ValidationError) as error:
            raise ToolError(_explain(error, _find_language(args, given))) from None

    return call


def refuse_resource(
    read: Callable[Params, Awaitable[Result]],
) -> Callable[Params, Awaitable[Result]]:
    """Wrap a resource's reader so that refusals become protocol errors."""

    @functools.wraps(read)
    async def call(*args: Params.args, **given: Params.kwargs) -> Result:
        try:
            return await read(*args, **given)
        except (GreenlightError, ValidationError) as error:
            kind = ResourceNotFoundError if isinstance(error, NotFound) else ResourceError
            raise kind(_explain(error, _find_language(args, given))) from None

    return call


def _explain(error: GreenlightError | ValidationError, language: Language) -> str:
    if isinstance(error, ValidationError):
        error = InvalidInput(list_problems(error.errors()))
    return f"{error.type()}: {error.words.say(language)}"


def _find_language(args: tuple[Any, ...], given: dict[str, Any]) -> Language:
    contexts = (each for each in (*args, *given.values()) if isinstance(each, Context))
    headers = (each.headers for each in contexts)
    return choose_language((next(headers, None) or {}).get("accept-language", ""))
