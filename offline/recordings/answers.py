"""Answers of recordings, found by the form of a request and its call, a verdict by its sentence."""

import asyncio
import json
import re
from collections import defaultdict, deque
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from offline import wire
from offline.model.material import read_json
from offline.recordings.recording import (
    LOOPBACK,
    OF_SENTENCES,
    Body,
    Pages,
    Recording,
    RequestForm,
    cite_by_quote,
    is_alike,
    list_judged,
    list_texts,
    name_number,
    renumber,
)

EMPTY: Body = {"array": [], "string": "", "boolean": False, "integer": 0, "number": 0}
"""The value of a required field that a recording lacks, by the field's type; else null."""

SAMPLES = Path(__file__).parent / "runs"
"""The recorded sample runs, one file each, named by the sample's id."""
CALL_HEADER = "x-greenlight-call"
"""Header that identifies a request's sample, run and call: `SAMPLE RUN PHASE/CALL`."""
MAX_RUNS = 100
_LATER_TURN = re.compile(r"(.*?)-?turn-(?!1$)\d+$")
"""Matches a later turn of an agent; the group is the agent's name."""
GAP_SECONDS, PATIENCE_SECONDS = 0.8, 6.0
"""Least time between two answers, and most that one waits for another that was given before it."""


class Answers:
    """The answers of a recording that are left, as one run takes them."""

    def __init__(self, recording: Recording) -> None:
        self.missing: list[str] = []
        self.pages = Pages()
        self._said: dict[str, Body] = {}
        """The last answer of each agent that ended its work, by the agent's part of a call."""
        self._answers: dict[RequestForm, deque[Body]] = defaultdict(deque)
        for form, reply in recording.answers:
            self._answers[form].append(reply)
        self._told: dict[tuple[str, str], deque[Body]] = defaultdict(deque)
        for name in OF_SENTENCES:
            for told in getattr(recording, name):
                self._told[name, told["sentence"]].append(told)

    def reply(self, body: Body, call: str = "") -> Body:
        """Return what was recorded, or an `error`; of a recording that names its calls, what answered that call."""
        form = RequestForm.of(body)._replace(call=call)
        name = form.of_sentences
        reply = self._tell(name, body) if name else self._take(form, body, only=bool(call))
        if reply is None and (later := _LATER_TURN.match(call)):
            reply = self._said.get(later[1]) or say_nothing(body)
        if reply is None:
            self.missing.append(f"turn {form.turn} of {form.tools}, to answer {form.answer}")
            refusal = f"no recorded answer is left for {call or self.missing[-1]}"
            return wire.build_error_body("invalid_request_error", refusal)
        return reply

    def _take(self, form: RequestForm, body: Body, *, only: bool) -> Body | None:
        """Return the next answer of a form, its calls newly named and its addresses those of today.

        A conversation that is cut counts its turns from one again: where the turn was not recorded,
        the first answer that is left of its tools and fields is the next one.
        """
        left = [f for f, answers in self._answers.items() if answers]
        known = [f for f in left if f.call == form.call] if only else []
        known = known or [f for f in left if is_alike(f, form) and not (only and f.call)]
        if not known:
            return None
        like = max(known, key=lambda f: (f.call == form.call, f.turn == form.turn, form.compare(f)))
        return self.fit(self._answers[like].popleft(), body, form.call)

    def fit(self, recorded: Body, body: Body, call: str) -> Body:
        """Return a recorded answer with today's addresses, numbers of pages and fields, its calls newly named."""
        text = json.dumps(recorded)
        if today := LOOPBACK.search(json.dumps(body["messages"])):
            text = LOOPBACK.sub(today[0], text)
        reply: Body = json.loads(text)
        today_by_url = {url: int(number) for number, url in self.pages.show(body).items()}
        shown = reply.pop("pages", {}).items()
        numbers = {int(n): today_by_url[url] for n, url in shown if url in today_by_url}
        schema = body.get("output_config", {}).get("format", {}).get("schema", {})
        taken = {tool["name"]: tool["input_schema"] for tool in body.get("tools", [])}
        for block in reply.get("content", []):
            if block["type"] == "tool_use":
                block["id"] = f"toolu_{uuid4().hex}"
                given = renumber(block["input"], numbers)
                block["input"] = fit_fields(given, taken.get(block["name"], {}))
            elif schema and (answer := read_json(block["text"])) is not None:
                fitting = fit_fields(renumber(answer, numbers), schema)
                block["text"] = json.dumps(fitting, ensure_ascii=False)
        if (later := _LATER_TURN.match(call)) and all(
            b["type"] == "text" for b in reply["content"]
        ):
            self._said[later[1]] = reply
        return reply

    def _tell(self, name: str, body: Body) -> Body:
        """Return the recorded judgements of the known sentences; unknown ones are omitted."""
        known = [c for c in list_judged(body) if self._told[name, c["sentence"]]]
        told = [{**self._next(name, c["sentence"]), name_number(name): c["claim"]} for c in known]
        places = sorted({one.pop("place") for one in told if "place" in one})
        held = [one["claim"] for one in told if one.get("verdict") == "supported"]
        answer: Body = {name: [one for one in told if one.get("verdict") != "supported"]}
        answer |= {"supported": held} if name == "verdicts" else {}
        answer = cite_by_quote(answer, list_texts(body))
        text = json.dumps(answer, ensure_ascii=False)
        return {"content": [{"type": "text", "text": text}], "places": places}

    def _next(self, name: str, sentence: str) -> Body:
        """Return the next recorded judgement of a sentence; the last one repeats."""
        left = self._told[name, sentence]
        told = left.popleft() if len(left) > 1 else left[0]
        usual = {"reason": ""} if name == "verdicts" else {}
        return usual | {part: value for part, value in told.items() if part != "sentence"}


class Timeline:
    """Orders a run's answers as they were recorded, so that parallel agents see each other's work."""

    def __init__(self, places: set[int]) -> None:
        self._left = places
        self._given = asyncio.Condition()

    async def wait_for(self, reply: Body) -> None:
        """Wait until all replies recorded before this one were given, or none was for `PATIENCE_SECONDS`.

        A judge's call may combine the sentences of several recorded calls.
        """
        places = reply.get("places") or [reply[n] for n in ("place",) if n in reply]
        if not places:
            return
        async with self._given:
            with suppress(TimeoutError):
                while self._left and min(self._left) < min(places):
                    await asyncio.wait_for(self._given.wait(), PATIENCE_SECONDS)
            self._left.difference_update(places)
            await asyncio.sleep(GAP_SECONDS)
            self._given.notify_all()


class RecordedRuns:
    """Runs answered from recorded samples; each run uses its own copy of the answers."""

    def __init__(self, folder: Path = SAMPLES) -> None:
        self._load = cache(lambda sample: Recording.load(folder / f"{sample}.json.gz"))
        self._runs: dict[str, tuple[Answers, Timeline, dict[str, Body]]] = {}

    async def reply(self, header: str, body: Body) -> Body:
        """Return the recorded answer to a call, the same one whenever it is asked for, or an `error`."""
        sample, run, call = header.split(" ", 2)
        if run not in self._runs:
            recording = self._load(sample)
            self._runs[run] = Answers(recording), Timeline(recording.places), {}
            for oldest in list(self._runs)[:-MAX_RUNS]:
                del self._runs[oldest]
        answers, timeline, given = self._runs[run]
        if call not in given:
            given[call] = answers.reply(body, call)
            await timeline.wait_for(given[call])
        return given[call]


def fit_fields(value: Any, schema: Body, defined: Body | None = None) -> Any:
    """Fit a recorded value to its current schema: add new fields with empty values, drop unknown ones."""
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


def say_nothing(body: Body) -> Body:
    """Return the answer that ends an agent's work without a word: all its required fields are empty."""
    schema = body.get("output_config", {}).get("format", {}).get("schema", {})
    return {"content": [{"type": "text", "text": json.dumps(fit_fields({}, schema))}]}


def make_empty(schema: Body) -> Any:
    """Return the empty value of a schema."""
    kind = str(schema.get("type"))
    return fit_fields({}, schema) if kind == "object" else EMPTY.get(kind)
