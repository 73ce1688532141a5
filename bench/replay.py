"""A model's answers, kept and served again over the Messages API, tokens counted as the provider does.

A recording is a folder of `requests/NNNN.json` and `replies/NNNN.json`, or a file that `python -m bench.replay
FOLDER` makes of one. An answer is found by the form of its request (tools, schema, and turn if it was recorded) and
its place among those of that form, a verdict and a mend by the sentence: all survive another prompt.
"""

import asyncio
import hashlib
import json
import math
import re
import socket
import sys
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from offline import wire
from offline.messages import count_input_tokens
from offline.model.material import read_json

Body = dict[str, Any]
OF_SENTENCES = ("verdicts", "mends", "rulings", "phrases")
"""The answers that say something of each sentence they are asked about, which is found by it."""
ALIKE = 0.7
"""The share of tools and fields that a form keeps when a tool or a field joins it."""
EMPTY: Body = {"array": [], "string": "", "boolean": False, "integer": 0, "number": 0}
"""The value of a required field that a recording lacks, by the field's type; else null."""
_CLAIMS = re.compile(r'<input name="claims">\n(.*?)\n</input>', re.DOTALL)
_LINES = re.compile(r'<input name="lines">\n(.*?)\n</input>', re.DOTALL)
_SEE = re.compile(r" \(see: [^()]*\)$")
_ENTRY = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_LOOPBACK = re.compile(r"http://127\.0\.0\.1:\d+")
_HOP_HEADERS = {"host", "content-length", "accept-encoding", "connection"}


LIFETIME_SECONDS, LOOKBACK, LEAST_TOKENS = 300, 20, 4_096
"""Of the prompt cache."""


class RequestForm(NamedTuple):
    """What a request is known by: the tools it offers, the fields of its answer, its turn."""

    tools: tuple[str, ...]
    answer: tuple[str, ...]
    turn: int

    @classmethod
    def of(cls, body: Body) -> "RequestForm":
        """Return the form of a request's body."""
        schema = body.get("output_config", {}).get("format", {}).get("schema", {})
        names = (tool["name"] for tool in body.get("tools", []))
        said = sum(message["role"] == "assistant" for message in body["messages"])
        return cls(tuple(sorted(names)), tuple(sorted(schema.get("properties", {}))), said + 1)

    @property
    def of_sentences(self) -> str:
        """The field of an answer that says something of each of the sentences asked about; or empty."""
        return next((name for name in OF_SENTENCES if name in self.answer), "")

    def compare(self, other: "RequestForm") -> float:
        """Return which share of their tools and fields two forms have in common, whatever their turns."""
        one, two = {*self.tools, *self.answer}, {*other.tools, *other.answer}
        return len(one & two) / max(len(one | two), 1)


def is_alike(one: RequestForm, other: RequestForm) -> bool:
    """Return True if two request forms are equal or differ only slightly, such as by one tool or field."""
    return one == other or one.compare(other) > ALIKE


@dataclass
class Recording:
    """Answers in their order, and what was said of sentences."""

    answers: list[tuple[RequestForm, Body]] = field(default_factory=list)
    verdicts: list[Body] = field(default_factory=list)
    mends: list[Body] = field(default_factory=list)
    rulings: list[Body] = field(default_factory=list)
    phrases: list[Body] = field(default_factory=list)

    @classmethod
    def load(cls, path: Path) -> "Recording":
        """Return the recording in a folder or a file."""
        if path.is_file():
            kept = json.loads(path.read_text("utf-8"))
            answers = [
                (RequestForm(tuple(a["tools"]), tuple(a["answer"]), a["turn"]), a["reply"])
                for a in kept["answers"]
            ]
            return cls(answers, *(kept.get(name, []) for name in OF_SENTENCES))
        recording = cls()
        for request, reply in _list_pairs(path):
            if not (name := (form := RequestForm.of(request)).of_sentences):
                recording.answers.append((form, reply))
                continue
            said = json.loads(wire.join_output(reply["content"]))[name]
            given = {one.pop(_name_number(name)): one for one in said}
            for claim in list_judged(request):
                if claim["claim"] in given:
                    told = {"sentence": claim["sentence"], **given[claim["claim"]]}
                    getattr(recording, name).append(told)
        return recording

    def dump(self) -> str:
        """Return the recording as the content of a file."""
        answers = [{**form._asdict(), "reply": reply} for form, reply in self.answers]
        kept = {"answers": answers} | {name: getattr(self, name) for name in OF_SENTENCES}
        return json.dumps(kept, indent=1, ensure_ascii=False) + "\n"


def _list_pairs(folder: Path) -> Iterator[tuple[Body, Body]]:
    """Yield the requests that were answered while somebody waited, each with its reply."""
    for path in sorted((folder / "requests").glob("*.json")):
        reply = folder / "replies" / path.name
        if reply.exists() and not reply.with_suffix(".dropped").exists():
            yield json.loads(path.read_text("utf-8")), json.loads(reply.read_text("utf-8"))


def _name_number(answer: str) -> str:
    """Return the field of an answer that has the number of what it is about."""
    return "line" if answer in {"rulings", "phrases"} else "claim"


def list_judged(body: Body) -> list[Body]:
    """Return the claims or lines that a request asks about, one by one; a writer has claims as JSON."""
    text = "".join(block["text"] for block in body["messages"][0]["content"])
    if found := _LINES.search(text):
        lines = _ENTRY.findall(unescape(found[1]))
        return [{"claim": int(n), "sentence": _SEE.sub("", said)} for n, said in lines]
    claims = unescape(found[1]) if (found := _CLAIMS.search(text)) else ""
    if claims.startswith("["):
        return list(json.loads(claims))
    return [{"claim": int(n), "sentence": said} for n, said in _ENTRY.findall(claims)]


@dataclass
class Exchange:
    """A request and the message that answered it, with the seconds since the epoch of both."""

    request: Body
    message: Body
    began: float = 0.0
    ended: float = 0.0


class Model(Protocol):
    """Who answers requests of the Messages API, and what it has answered."""

    exchanges: list[Exchange]

    async def respond(self, request: Request) -> Response:
        """Answer a request."""


class Pace(NamedTuple):
    """How fast a model answers: seconds to its first token, then tokens a second."""

    first_seconds: float = 0.0
    tokens_per_second: float = math.inf


AT_ONCE = Pace()


class Scripted:
    """Streams the answers of `reply` at a set pace, with tokens counted as the provider counts them."""

    def __init__(self, pace: Pace = AT_ONCE) -> None:
        self.exchanges: list[Exchange] = []
        self.pace = pace
        self.forget()

    def forget(self) -> None:
        """Forget the exchanges, and what the prompt cache holds."""
        self.exchanges.clear()
        self.cache = PromptCache(self.pace.first_seconds)

    async def reply(self, body: Body) -> Body:
        """Return the content of an answer and, optionally, its `stop_reason`; or an `error`."""
        raise NotImplementedError

    async def respond(self, request: Request) -> Response:
        """Answer a request."""
        body, began = await request.json(), time.time()
        cached = self.cache.count(body)
        reply = await self.reply(body)
        if "error" in reply:
            return JSONResponse({"type": "error", **reply}, reply.get("status", 400))
        content = reply["content"]
        is_call = any(block["type"] == "tool_use" for block in content)
        stop = reply.get("stop_reason") or ("tool_use" if is_call else "end_turn")
        size = count_input_tokens(body)
        message = wire.build_message(body["model"], content, stop, size, cached)
        exchange = Exchange(body, message, began)
        self.exchanges.append(exchange)
        await asyncio.sleep(began + self.pace.first_seconds - time.time())
        return StreamingResponse(self._stream(exchange), media_type="text/event-stream")

    async def _stream(self, exchange: Exchange) -> AsyncIterator[str]:
        """Yield the events of an answer, each piece when it is due."""
        began, chars = time.time(), 0
        for name, data in wire.list_events(exchange.message):
            yield wire.format_event(name, data)
            chars += sum(map(len, data["delta"].values())) if name == "content_block_delta" else 0
            due = began + chars / wire.CHARS_PER_TOKEN / self.pace.tokens_per_second
            await asyncio.sleep(max(0.0, due - time.time()))
        exchange.ended = time.time()


class Replay(Scripted):
    """Answers from a recording; what it has no answer for is refused and stands in `missing`."""

    def __init__(self, recording: Recording, pace: Pace = AT_ONCE) -> None:
        super().__init__(pace)
        self.load(recording)

    def load(self, recording: Recording) -> None:
        """Answer from a recording from now on."""
        self.missing: list[str] = []
        self._answers: dict[RequestForm, deque[Body]] = defaultdict(deque)
        for form, reply in recording.answers:
            self._answers[form].append(reply)
        self._told: dict[tuple[str, str], deque[Body]] = defaultdict(deque)
        for name in OF_SENTENCES:
            for told in getattr(recording, name):
                self._told[name, told["sentence"]].append(told)

    async def reply(self, body: Body) -> Body:
        """Return what was recorded."""
        form = RequestForm.of(body)
        name = form.of_sentences
        reply = self._tell(name, body) if name else self._take(form, body)
        if reply is None:
            self.missing.append(f"turn {form.turn} of {form.tools}, to answer {form.answer}")
            refusal = f"no recorded answer is left for {self.missing[-1]}"
            return wire.build_error_body("invalid_request_error", refusal)
        return reply

    def _take(self, form: RequestForm, body: Body) -> Body | None:
        """Return the next answer of a form, its calls numbered and its addresses those of today.

        A conversation that is cut counts its turns from one again: where the turn was not recorded,
        the first answer that is left of its tools and fields is the next one.
        """
        known = [f for f, left in self._answers.items() if left and is_alike(f, form)]
        if not known:
            return None
        like = max(known, key=lambda f: (f == form, f.turn == form.turn, form.compare(f)))
        text = json.dumps(self._answers[like].popleft())
        if today := _LOOPBACK.search(json.dumps(body["messages"])):
            text = _LOOPBACK.sub(today[0], text)
        reply: Body = json.loads(text)
        schema = body.get("output_config", {}).get("format", {}).get("schema", {})
        taken = {tool["name"]: tool["input_schema"] for tool in body.get("tools", [])}
        for n, block in enumerate(reply.get("content", [])):
            if block["type"] == "tool_use":
                block["id"] = f"toolu_{len(self.exchanges)}_{n}"
                block["input"] = fit_fields(block["input"], taken.get(block["name"], {}))
            elif schema and (answer := read_json(block["text"])) is not None:
                block["text"] = json.dumps(fit_fields(answer, schema), ensure_ascii=False)
        return reply

    def _tell(self, name: str, body: Body) -> Body:
        """Return what was said of the sentences that are known; the others are passed over."""
        known = [c for c in list_judged(body) if self._told[name, c["sentence"]]]
        told = [{**self._next(name, c["sentence"]), _name_number(name): c["claim"]} for c in known]
        text = json.dumps({name: told}, ensure_ascii=False)
        return {"content": [{"type": "text", "text": text}]}

    def _next(self, name: str, sentence: str) -> Body:
        """Return what was said of a sentence; the last time counts for all further ones."""
        left = self._told[name, sentence]
        told = left.popleft() if len(left) > 1 else left[0]
        usual = {"reason": ""} if name == "verdicts" else {}
        return usual | {part: value for part, value in told.items() if part != "sentence"}


def fit_fields(value: Any, schema: Body, defined: Body | None = None) -> Any:
    """Return a recorded value with the fields that its schema has today: new ones are empty, old ones gone."""
    defined = defined or schema.get("$defs", {})
    if "$ref" in schema:
        schema = defined[schema["$ref"].rpartition("/")[2]]
    if isinstance(value, list) and "items" in schema:
        return [fit_fields(each, schema["items"], defined) for each in value]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    fields = schema["properties"]
    empty = {name: make_empty(fields[name]) for name in schema.get("required", ())}
    kept = {
        name: fit_fields(v, fields[name], defined) for name, v in value.items() if name in fields
    }
    return empty | kept


def make_empty(schema: Body) -> Any:
    """Return the empty value of a schema."""
    kind = str(schema.get("type"))
    return fit_fields({}, schema) if kind == "object" else EMPTY.get(kind)


class Relay:
    """Passes requests on to a provider, and keeps them with their answers in a folder, if one is named."""

    def __init__(self, url: str, folder: Path | None = None) -> None:
        self.exchanges: list[Exchange] = []
        self._folder = folder
        self._client = httpx.AsyncClient(base_url=url, timeout=httpx.Timeout(None, connect=5))

    async def respond(self, request: Request) -> Response:
        """Answer with what the provider streams, as it comes."""
        body = await request.body()
        headers = {k: v for k, v in request.headers.items() if k not in _HOP_HEADERS}
        asked = self._client.build_request("POST", "/v1/messages", content=body, headers=headers)
        answer = await self._client.send(asked, stream=True)
        passed = {k: v for k, v in answer.headers.items() if k in ("content-type", "retry-after")}
        return StreamingResponse(
            self._pass_on(json.loads(body), answer), answer.status_code, headers=passed
        )

    async def _pass_on(self, body: Body, answer: httpx.Response) -> AsyncIterator[bytes]:
        pieces = []
        async for piece in answer.aiter_bytes():
            pieces.append(piece)
            yield piece
        await answer.aclose()
        text = b"".join(pieces).decode()
        if answer.is_success:
            self.exchanges.append(Exchange(body, join_stream(text)))
        if self._folder and answer.is_success:
            name = f"{len(self.exchanges):04d}.json"
            for part, value in zip(
                ("requests", "replies"), (body, self.exchanges[-1].message), strict=True
            ):
                (self._folder / part).mkdir(parents=True, exist_ok=True)
                kept = json.dumps(value, indent=1, ensure_ascii=False)
                (self._folder / part / name).write_text(kept, "utf-8")


def join_stream(text: str) -> Body:
    """Return the message that the events of a stream make up."""
    message: Body = {}
    for line in text.splitlines():
        if not line.startswith("data:"):
            continue
        event = json.loads(line[5:])
        match event["type"]:
            case "message_start":
                message = event["message"]
            case "content_block_start":
                message["content"].append(event["content_block"] | {"json": ""})
            case "content_block_delta":
                block, delta = message["content"][event["index"]], event["delta"]
                block["text"] = block.get("text", "") + delta.get("text", "")
                block["json"] += delta.get("partial_json", "")
            case "message_delta":
                message |= event["delta"]
                message["usage"] |= event["usage"]
            case _:
                pass
    for block in message["content"]:
        written = block.pop("json")
        if block["type"] == "tool_use":
            del block["text"]
            block["input"] = json.loads(written or "{}")
    return message


def serve(model: Model, services: Sequence[BaseRoute] = ()) -> AbstractAsyncContextManager[str]:
    """Serve a model and other services at one loopback address."""
    return serve_routes([Route("/v1/messages", model.respond, methods=["POST"]), *services])


@asynccontextmanager
async def serve_routes(routes: Sequence[BaseRoute]) -> AsyncIterator[str]:
    """Serve routes on the loopback; yield their address."""
    listener = socket.create_server(("127.0.0.1", 0))
    app = Starlette(routes=routes)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    running = asyncio.create_task(server.serve([listener]))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    await running


class PromptCache:
    """The provider's prompt cache: a marked prefix is kept from its first answer's begin on."""

    def __init__(self, delay_seconds: float = 0.0) -> None:
        self._delay_seconds = delay_seconds
        self._kept: dict[str, tuple[float, float]] = {}
        """By a prefix's hash: from when and until when it can be read."""

    def count(self, body: Body) -> tuple[int, int]:
        """Return the tokens that a request reads from the cache and that it writes, and keep what is marked."""
        parts = [body.get("tools"), body.get("system"), *(m["content"] for m in body["messages"])]
        shared = json.dumps([body.get(name) for name in ("model", "output_config", "tool_choice")])
        digest, size, read, now = hashlib.sha256(shared.encode()), 0, 0, time.monotonic()
        ends, marked = list[tuple[str, int]](), list[tuple[str, int]]()
        for block in (block for part in parts for block in part or [] if isinstance(block, dict)):
            text = json.dumps({**block, "cache_control": None})
            digest.update(text.encode())
            size += wire.count_tokens(text)
            ends.append((digest.hexdigest(), size))
            if "cache_control" in block and size >= LEAST_TOKENS:
                marked.append(ends[-1])
                held = (s for key, s in ends[-LOOKBACK:] if self._holds(key, now))
                read = max([read, *held])
        for key, _ in marked:
            ready, until = self._kept.get(key, (math.inf, 0.0))
            ready = min(ready if now < until else math.inf, now + self._delay_seconds)
            self._kept[key] = ready, now + LIFETIME_SECONDS
        return read, max([0, *(size - read for _, size in marked)])

    def _holds(self, key: str, now: float) -> bool:
        ready, until = self._kept.get(key, (math.inf, 0.0))
        return ready <= now < until


if __name__ == "__main__":
    print(Recording.load(Path(sys.argv[1])).dump(), end="")
