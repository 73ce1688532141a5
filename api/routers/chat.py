"""Chat completions: a definition as a model, for Open WebUI and other clients of OpenAI's API."""

from collections.abc import AsyncGenerator

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from sse_starlette import EventSourceResponse, ServerSentEvent

from api import event_stream
from api.access.auth import Caller
from api.chat.message_history import Conversation, answer_side_request
from api.chat.reply_or_new_run import CHAT_HEADER, START_HEADER, Turn, list_needed, take_turn
from api.chat.wire import DONE, ChatRequest, Writer, to_openai_error
from api.dependencies import Deps
from api.errors import Handler, render_errors
from api.json_bodies import StrictRoute
from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import GreenlightError, InvalidInput
from contracts.notices import Notice
from contracts.problems import list_problems

WAIT_SECONDS = 10 * 60
"""How long an answer without streaming waits until the run asks or ends."""
PIECE_CHARS = 2_000


class ChatRoute(StrictRoute):
    """A route whose errors have OpenAI's format."""

    def get_route_handler(self) -> Handler:
        """Return the handler, which raises no error of ours."""
        return render_errors(super().get_route_handler(), to_openai_error)


router = APIRouter(prefix="/v1", route_class=ChatRoute, include_in_schema=False)


@router.get("/models")
async def list_models(deps: Deps, caller: Caller) -> Json:
    """Return the definitions that a question alone can start, as models."""
    found = await deps.definitions.list(caller)
    shown = [each for each in found if not each.asks_report and not list_needed(each)]
    return {"object": "list", "data": [_describe(each) for each in shown]}


@router.get("/models/{model}")
async def get_model(model: str, deps: Deps, caller: Caller) -> Json:
    """Return a definition as a model."""
    return _describe(await deps.definitions.get(caller, model))


def _describe(definition: Definition) -> Json:
    named = {"name": definition.title, "description": definition.description}
    return {"id": definition.id, "object": "model", "created": 0, "owned_by": "greenlight", **named}


@router.post("/chat/completions")
async def complete(request: Request, deps: Deps, caller: Caller) -> Response:
    """Take a turn of a conversation: start a run, say something to it, and return what it shows."""
    asked = await _read(request)
    said = Conversation.of(asked)
    if said.is_side_request:
        return _answer_at_once(asked, answer_side_request(said.text))
    may_start = bool(asked.stream) or request.headers.get(START_HEADER) == "yes"
    chat_id = request.headers.get(CHAT_HEADER, "")
    turn = await take_turn(deps, caller, said, chat_id, may_start=may_start)
    writer = Writer(turn.run.id, asked.model)
    if asked.stream:
        counts = bool(asked.stream_options and asked.stream_options.include_usage)
        return _respond(_stream(turn, writer, request, counts=counts))
    async for _ in turn.follow(WAIT_SECONDS):
        pass
    answer = await turn.show()
    return Response(
        writer.dump_whole(turn.opening + answer.text, answer.annotations, answer.state.usage),
        media_type="application/json",
    )


async def _read(request: Request) -> ChatRequest:
    try:
        return ChatRequest.model_validate(await request.json())
    except ValidationError as error:
        raise InvalidInput(list_problems(error.errors())) from None
    except ValueError:
        raise InvalidInput(Notice.of("chat-no-json")) from None


def _answer_at_once(asked: ChatRequest, text: str) -> Response:
    """Return an answer that no run is needed for, in the form that is asked for."""
    writer = Writer("side", asked.model)
    if not asked.stream:
        return Response(writer.dump_whole(text), media_type="application/json")

    async def say() -> AsyncGenerator[ServerSentEvent]:
        yield writer.write_delta(role="assistant", content=text)
        yield writer.write_end()
        yield DONE

    return _respond(say())


def _respond(events: AsyncGenerator[ServerSentEvent]) -> EventSourceResponse:
    return EventSourceResponse(
        events,
        ping=event_stream.PING_SECONDS,
        ping_message_factory=event_stream.Ping,
        send_timeout=event_stream.SEND_SECONDS,
    )


async def _stream(
    turn: Turn, writer: Writer, request: Request, *, counts: bool
) -> AsyncGenerator[ServerSentEvent]:
    """Stream a turn's answer: the run's link, progress as reasoning, what the run shows, and cited pages.

    A client that disconnects does not affect the run.
    """
    yield writer.write_delta(role="assistant", content=turn.opening)
    try:
        async for line in turn.follow(event_stream.STREAM_SECONDS):
            yield writer.write_delta(reasoning_content=f"{line}\n\n")
        answer = await turn.show()
    except GreenlightError as error:
        yield ServerSentEvent(bytes(to_openai_error(error, request.headers).body).decode())
        return
    for start in range(0, len(answer.text), PIECE_CHARS):
        yield writer.write_delta(content=answer.text[start : start + PIECE_CHARS])
    if answer.annotations:
        yield writer.write_delta(annotations=answer.annotations)
    yield writer.write_end()
    if counts:
        yield writer.write_usage(answer.state.usage)
    yield DONE
