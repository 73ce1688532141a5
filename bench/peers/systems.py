"""gpt-researcher and open_deep_research on the simulated provider, each in its own environment.

They ask an OpenAI endpoint, which answers by rule: schemas are filled, tools called as their prompts demand. What
they find proves how they call, not how good their reports are.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from bench.harness import union_seconds
from bench.peers.calls import Call, measure_calls
from bench.peers.provider import PACE, PAGE_SECONDS, SEARCH_SECONDS, Corpus
from bench.quality import Figures
from bench.replay import serve_routes
from offline import wire
from offline.library.index import Library
from offline.recordings.recording import Body

PACKAGES = {
    "gpt-researcher": "gpt-researcher==0.15.1",
    "open_deep_research": "git+https://github.com/langchain-ai/open_deep_research@408da44",
}
"""Package to install for each system, unless the folder contains a checkout with the system's name."""
SYSTEMS = {
    "gpt-researcher report": "gpt-researcher",
    "gpt-researcher deep": "gpt-researcher",
    "open_deep_research": "open_deep_research",
}
_GPT_RESEARCHER = """
import tiktoken
class Encoding:  # tiktoken's own is downloaded
    def encode(self, text, **_):
        return [0] * (len(text) // 4)
tiktoken.get_encoding = tiktoken.encoding_for_model = lambda *_: Encoding()
from gpt_researcher import GPTResearcher
async def run():
    researcher = GPTResearcher(query=QUERY, report_type={type!r}, verbose=False)
    await researcher.conduct_research()
    return await researcher.write_report()
"""
SCRIPTS = {
    "gpt-researcher report": _GPT_RESEARCHER.format(type="research_report"),
    "gpt-researcher deep": _GPT_RESEARCHER.format(type="deep"),
    "open_deep_research": """
from functools import partial
from open_deep_research import utils
utils.AsyncTavilyClient = partial(utils.AsyncTavilyClient, api_base_url=URL)
from open_deep_research.deep_researcher import deep_researcher
async def run():
    return (await deep_researcher.ainvoke({"messages": [("user", QUERY)]}))["final_report"]
""",
}
DRIVER = """
import asyncio, json, resource, sys, time
URL, QUERY = sys.argv[1:]
{script}
def count():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
began, before = time.time(), count()
report = asyncio.run(run())
found = dict(began=began, ended=time.time(), cpu=count() - before, words=len(report.split()))
print("\\n" + json.dumps(found))
"""
REPORT_WORDS, TEXT_WORDS, SNIPPET_CHARS, RESULTS = 1_200, 300, 95, 5
"""gpt-researcher would take a longer snippet for the page itself."""
MOST_SECONDS = 600
SUBJECTS = {
    "q1": ["Kenya"],
    "q2": ["Kenya", "Ethiopia", "Tanzania", "Uganda", "Rwanda"],
    "q3": ["Irrigation", "Agriculture", "Electricity", "Income", "Transport", "Government"],
}
"""The units of research that open_deep_research's supervisor delegates for a question, at most five at once."""


class OpenAIEndpoint:
    """Chat completions by rule, embeddings, and searches in the forms of SearxNG and Tavily."""

    def __init__(self, subjects: list[str]) -> None:
        self.calls: list[Call] = []
        self.pages: set[str] = set()
        self.subjects = subjects
        self._library = Library(Corpus())
        post = [
            ("/v1/chat/completions", self._complete),
            ("/v1/embeddings", self._embed),
            ("/search", self._search_tavily),
        ]
        self.routes: list[BaseRoute] = [
            Route("/pages/{slug:path}", self._page),
            Route("/search", self._search_searx),
            *(Route(path, endpoint, methods=["POST"]) for path, endpoint in post),
        ]

    async def _complete(self, request: Request) -> Response:
        body, began = await request.json(), time.time()
        message = answer(body, self.subjects)
        output = message.get("content") or json.dumps(message.get("tool_calls"))
        names = ("messages", "tools", "response_format")
        text = json.dumps([body.get(name) for name in names], ensure_ascii=False)
        seconds = wire.count_tokens(output) / PACE.tokens_per_second
        ended = began + PACE.first_seconds + seconds
        self.calls.append(Call(text, len(output), began, ended))
        await asyncio.sleep(PACE.first_seconds)
        if body.get("stream"):
            return StreamingResponse(
                _stream(body["model"], message, ended), media_type="text/event-stream"
            )
        await asyncio.sleep(ended - time.time())
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": len(text) // 4, "completion_tokens": len(output) // 4}
        usage["total_tokens"] = sum(usage.values())
        head = {"id": "chat", "object": "chat.completion", "created": 0, "model": body["model"]}
        return JSONResponse(head | {"choices": [choice], "usage": usage})

    async def _embed(self, request: Request) -> Response:
        texts = (await request.json())["input"]
        await asyncio.sleep(0.2)
        vectors = [[1.0, *[0.0] * 1_535] for _ in ([texts] if isinstance(texts, str) else texts)]
        data = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(vectors)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return JSONResponse({"object": "list", "data": data, "model": "m", "usage": usage})

    async def _search_searx(self, request: Request) -> Response:
        hits = await self._find(request, request.query_params["q"])
        return JSONResponse(
            {"results": [{**h, "content": h["content"][:SNIPPET_CHARS]} for h in hits]}
        )

    async def _search_tavily(self, request: Request) -> Response:
        query = (await request.json())["query"]
        hits = await self._find(request, query)
        self.pages.update(hit["url"] for hit in hits)
        return JSONResponse({"query": query, "results": hits, "response_time": SEARCH_SECONDS})

    async def _find(self, request: Request, query: str) -> list[dict[str, str]]:
        await asyncio.sleep(SEARCH_SECONDS)
        found = await asyncio.to_thread(self._library.search, query, RESULTS)
        return [
            {
                "title": document.title,
                "url": f"{request.base_url}pages/{document.slug}",
                "content": excerpt,
                "raw_content": document.text,
            }
            for document, excerpt in found
        ]

    async def _page(self, request: Request) -> Response:
        self.pages.add(str(request.url))
        await asyncio.sleep(PAGE_SECONDS)
        page = self._library.get_page(request.path_params["slug"])
        return Response(page.body if page else b"", media_type="text/html")


async def _stream(model: str, message: Body, ended: float) -> AsyncIterator[str]:
    """Yield the chunks of a message until its end is due."""
    text, began = message.get("content") or "", time.time()
    pieces = [text[i : i + wire.PIECE_CHARS] for i in range(0, len(text), wire.PIECE_CHARS)]
    deltas: list[Body] = [{"role": "assistant", "content": ""}, *({"content": p} for p in pieces)]
    if message.get("tool_calls"):
        calls = [{**call, "index": n} for n, call in enumerate(message["tool_calls"])]
        deltas.append({"tool_calls": calls})
    for n, delta in enumerate([*deltas, {}]):
        choice = {"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}
        chunk = {"id": "chat", "object": "chat.completion.chunk", "created": 0, "model": model}
        yield f"data: {json.dumps(chunk | {'choices': [choice]})}\n\n"
        due = began + (ended - began) * (n + 1) / len(deltas)
        await asyncio.sleep(max(0.0, due - time.time()))
    yield "data: [DONE]\n\n"


def answer(body: Body, subjects: list[str]) -> Body:
    """Return the message that answers a request: a filled schema, tool calls, or text in the form asked for."""
    asked = "\n".join(str(message.get("content")) for message in body["messages"])
    message: Body = {"role": "assistant", "content": None}
    if schema := (body.get("response_format") or {}).get("json_schema", {}).get("schema"):
        fields = schema["properties"].items()
        filled = {n: False if f.get("type") == "boolean" else make_text(60) for n, f in fields}
        return message | {"content": json.dumps(filled)}
    tools = {tool["function"]["name"] for tool in body.get("tools") or ()}
    turn = sum(each["role"] == "assistant" for each in body["messages"])
    if calls := choose_calls(tools, turn, subjects):
        made = [
            {
                "id": f"call_{turn}_{n}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(given)},
            }
            for n, (name, given) in enumerate(calls)
        ]
        return message | {"tool_calls": made}
    return message | {"content": write_text(asked, subjects)}


def choose_calls(tools: set[str], turn: int, subjects: list[str]) -> list[tuple[str, Body]]:
    """Return the tool calls of a turn of open_deep_research's supervisor or of one of its researchers."""
    think: list[tuple[str, Body]] = [("think_tool", {"reflection": make_text(60)})]
    if "ConductResearch" in tools:
        units = [("ConductResearch", {"research_topic": f"{s}. {make_text(60)}"}) for s in subjects]
        rounds = [units[:5], units[5:]] if units[5:] else [units]
        parts = [part for each in rounds for part in (think, each)]
        turns = [*parts, think, [("ResearchComplete", Body())]]
        return turns[turn] if turn < len(turns) else []
    if "tavily_search" in tools and turn < len(["search", "think", "search", "think"]):
        queries = [f"{subjects[turn % len(subjects)]} {word}" for word in ("facts", "figures")]
        return think if turn % 2 else [("tavily_search", {"queries": queries})]
    return []


def write_text(asked: str, subjects: list[str]) -> str:
    """Return a text in the form that gpt-researcher's prompts ask for, else prose; reports are longest."""
    queries = [
        f"{subject} {word}" for word in ("figures", "facts", "prices") for subject in subjects
    ][:3]
    if "agent_role_prompt" in asked:
        return json.dumps({"server": "Agent", "agent_role_prompt": make_text(40)})
    if re.search(r"list of strings", asked):
        return json.dumps(queries)
    if "Goal: <goal>" in asked:
        return "\n".join(f"Query: {query}\nGoal: {make_text(20)}" for query in queries)
    if "'Question: " in asked:
        return "\n".join(f"Learning: {make_text(30)}\nQuestion: {query}?" for query in queries)
    is_report = re.search(r"\breport\b", asked[-4_000:]) and "clean up" not in asked.casefold()
    return make_text(REPORT_WORDS if is_report else TEXT_WORDS)


def make_text(words: int) -> str:
    """Return filler text with the given number of words."""
    sentence = "The pages give figures for this and say from which year they are."
    return " ".join((sentence.split() * (words // 10 + 1))[:words])


def prepare(system: str, folder: Path) -> Path:
    """Return the Python of a system's environment in a folder; install it there the first time."""
    python = folder / f"venv-{system}" / "bin" / "python"
    if not python.exists():
        checkout = folder / system
        package = str(checkout) if checkout.is_dir() else PACKAGES[system]
        subprocess.run([sys.executable, "-m", "venv", str(python.parents[1])], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", package], check=True)
    return python


async def measure_system(name: str, question: str, query: str, folder: Path) -> Figures:
    """Run a system on a question with its own simulated provider, and return its figures."""
    python = await asyncio.to_thread(prepare, SYSTEMS[name], folder)
    endpoint = OpenAIEndpoint(SUBJECTS[question])
    async with serve_routes(endpoint.routes) as url:
        run = await _run(name, python, url, query)
    spans = [(call.began, call.ended) for call in endpoint.calls]
    report = max(call.began for call in endpoint.calls) + PACE.first_seconds
    return {
        "question": f"{question}, {name}",
        "status": "completed" if run["words"] else "empty",
        "load": round(os.getloadavg()[0], 1),
        "wall_seconds": round(run["ended"] - run["began"], 1),
        "model_seconds": round(union_seconds(spans), 1),
        "first_sentence_seconds": round(report - run["began"], 1),
        **measure_calls(endpoint.calls),
        "pages": len(endpoint.pages),
        "cpu_seconds": round(run["cpu"], 1),
    }


async def _run(name: str, python: Path, url: str, query: str) -> Any:
    """Run a system; return its begin, its end, its processor time and the words of its report."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "OPENAI_API_KEY": "simulated",
        "OPENAI_BASE_URL": f"{url}/v1",
        "TAVILY_API_KEY": "simulated",
        "RETRIEVER": "searx",
        "SEARX_URL": url,
        "LANGSMITH_TRACING": "false",
    }
    driver = DRIVER.format(script=SCRIPTS[name])
    process = await asyncio.create_subprocess_exec(
        *(str(python), "-c", driver, url, query),
        env=environment,
        cwd=python.parents[2],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(MOST_SECONDS):
            out, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode:
        raise RuntimeError(f"{name} failed: {errors.decode()[-2_000:]}")
    return json.loads(out.decode().splitlines()[-1])
