"""A recording: a model's answers, each with the form of its request, and its judgements of sentences.

It is a folder of `requests/NNNN.json` and `replies/NNNN.json`, or a file, which may be compressed.
"""

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

from offline import wire

Body = dict[str, Any]
OF_SENTENCES = ("verdicts", "mends", "rulings", "phrases")
"""The answers that say something of each sentence they are asked about, which is found by it."""
ALIKE = 0.7
"""The share of tools and fields that a form keeps when a tool or a field joins it."""
LOOPBACK = re.compile(r"http://127\.0\.0\.1:\d+")
_PAGE = re.compile(r'<input name=\\"source-(\d+)\\"[^>]*>\\nurl: ([^\\\s]+)')
_TEXT = re.compile(r'<input name="(?:source|page)-(\d+)"[^>]*>\n(.*?)\n</input>', re.DOTALL)
_CLAIMS = re.compile(r'<input name="claims">\n(.*?)\n</input>', re.DOTALL)
_LINES = re.compile(r'<input name="lines">\n(.*?)\n</input>', re.DOTALL)
_SEE = re.compile(r" \(see: [^()]*\)$")
_ENTRY = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)


class RequestForm(NamedTuple):
    """Identifies a request: its tools, the fields of its answer, its turn and, for a sample, its call."""

    tools: tuple[str, ...]
    answer: tuple[str, ...]
    turn: int
    call: str = ""

    @classmethod
    def of(cls, body: Body) -> "RequestForm":
        """Return the form of a request's body."""
        schema = body.get("output_config", {}).get("format", {}).get("schema", {})
        names = (tool["name"] for tool in body.get("tools", []))
        said = sum(message["role"] == "assistant" for message in body["messages"])
        fields = tuple(sorted(schema.get("properties", {})))
        return cls(tuple(sorted(names)), fields, said + 1)

    @property
    def of_sentences(self) -> str:
        """The field of an answer that says something of each of the sentences asked about; or empty."""
        return next((name for name in OF_SENTENCES if name in self.answer), "")

    def compare(self, other: "RequestForm") -> float:
        """Return the share of tools and fields that two forms have in common, ignoring turns."""
        one, two = {*self.tools, *self.answer}, {*other.tools, *other.answer}
        return 1.0 if one == two else len(one & two) / len(one | two)


def is_alike(one: RequestForm, other: RequestForm) -> bool:
    """Return True if two request forms are equal or differ only slightly, such as by one tool or field."""
    return one.compare(other) > ALIKE


def read_kept(path: Path) -> Body:
    """Return the content of a recording's file."""
    raw = path.read_bytes()
    kept: Body = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    return kept


@dataclass
class Recording:
    """Answers in order, and judgements of sentences."""

    answers: list[tuple[RequestForm, Body]] = field(default_factory=list)
    verdicts: list[Body] = field(default_factory=list)
    mends: list[Body] = field(default_factory=list)
    rulings: list[Body] = field(default_factory=list)
    phrases: list[Body] = field(default_factory=list)

    @property
    def places(self) -> set[int]:
        """The positions of answers in the recorded order, where known."""
        told = (one for name in OF_SENTENCES for one in getattr(self, name))
        return {
            one["place"] for one in (*(reply for _, reply in self.answers), *told) if "place" in one
        }

    @classmethod
    def load(cls, path: Path) -> "Recording":
        """Return the recording in a folder or a file."""
        if path.is_file():
            kept = read_kept(path)
            answers = [
                (
                    RequestForm(
                        tuple(a["tools"]), tuple(a["answer"]), a["turn"], a.get("call", "")
                    ),
                    a["reply"],
                )
                for a in kept["answers"]
            ]
            return cls(answers, *(kept.get(name, []) for name in OF_SENTENCES))
        recording = cls()
        for request, reply in list_pairs(path):
            if not (name := (form := RequestForm.of(request)).of_sentences):
                recording.answers.append((form, reply))
                continue
            answer = json.loads(wire.join_output(reply["content"]))
            held = [{"claim": n, "verdict": "supported"} for n in answer.get("supported", ())]
            given = {one.pop(name_number(name)): one for one in [*answer[name], *held]}
            for claim in list_judged(request):
                if claim["claim"] in given:
                    told = {
                        "place": reply["place"],
                        "sentence": claim["sentence"],
                        **given[claim["claim"]],
                    }
                    getattr(recording, name).append(told)
        return recording

    def dump(self) -> str:
        """Return the recording as the content of a file."""
        answers = [{**form._asdict(), "reply": reply} for form, reply in self.answers]
        kept = {"answers": answers} | {name: getattr(self, name) for name in OF_SENTENCES}
        return json.dumps(kept, indent=1, ensure_ascii=False) + "\n"


def list_pairs(folder: Path) -> Iterator[tuple[Body, Body]]:
    """Yield the requests that were answered while somebody waited, each with its reply and when that was given."""
    for path in sorted((folder / "requests").glob("*.json")):
        reply = folder / "replies" / path.name
        if reply.exists() and not reply.with_suffix(".dropped").exists():
            place = {"place": reply.stat().st_mtime_ns}
            yield json.loads(path.read_text("utf-8")), json.loads(reply.read_text("utf-8")) | place


def list_pages(body: Body) -> dict[str, str]:
    """Return the addresses of the pages that a request shows, by the numbers by which they are cited.

    A page of the sample library is known by its path, as the library's port is another each time.
    """
    found = _PAGE.findall(json.dumps(body["messages"]))
    return {number: LOOPBACK.sub("", url) for number, url in found}


class Pages:
    """The pages shown in each conversation, by the numbers that the conversation cites.

    A conversation is identified by its opening words, since it may be truncated. One that shows no pages
    cites those of the whole run.
    """

    def __init__(self) -> None:
        self._all: dict[str, str] = {}
        self._by_opening: dict[str, dict[str, str]] = defaultdict(dict)

    def show(self, body: Body) -> dict[str, str]:
        """Return the addresses of the pages that a request's conversation has shown so far, by their numbers."""
        shown, opening = list_pages(body), json.dumps(body["messages"][0]["content"][0].get("text"))
        self._all |= shown
        self._by_opening[opening] |= shown
        return dict(self._by_opening[opening] or self._all)


def list_texts(body: Body) -> dict[int, str]:
    """Return the texts of the sources that a request shows, by their numbers."""
    blocks = (block for message in body["messages"] for block in message["content"])
    text = "".join(block.get("text", "") for block in blocks)
    return {int(number): unescape(shown) for number, shown in _TEXT.findall(text)}


def cite_by_quote(value: Any, texts: Mapping[int, str]) -> Any:
    """Point each citation to the shown source that contains its quote, if there is one."""
    if isinstance(value, list):
        return [cite_by_quote(each, texts) for each in value]
    if not isinstance(value, dict):
        return value
    parts = {name: cite_by_quote(part, texts) for name, part in value.items()}
    having = [n for n, text in texts.items() if parts.get("quote") and parts["quote"] in text]
    moved = "source" in parts and having and parts["source"] not in having
    return parts | {"source": having[0]} if moved else parts


def renumber(value: Any, numbers: Mapping[int, int]) -> Any:
    """Return a copy of a JSON value with each `source` number replaced by the number it maps to, if any."""
    if isinstance(value, list):
        return [renumber(each, numbers) for each in value]
    if not isinstance(value, dict):
        return value
    parts = {name: renumber(part, numbers) for name, part in value.items()}
    source = parts.get("source")
    return parts | {"source": numbers.get(source, source)} if isinstance(source, int) else parts


def name_number(answer: str) -> str:
    """Return the field that holds the number of the judged item in this kind of answer."""
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
