"""A tool that changes a report: what to write where, in pieces that it takes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from greenlight.offline.model.agent import AT_ONCE, ToolCall
from greenlight.offline.model.comparison import MOST_ROWS, comparison
from greenlight.offline.model.conversation import Tool
from greenlight.offline.model.notes import is_concluding
from greenlight.offline.model.refs import inlined
from greenlight.offline.model.report import MOST_PASSAGES, Writer
from greenlight.offline.model.task import Task

LARGEST = 800
"""How much one call may change where the inputs do not say."""


@dataclass(frozen=True)
class Pen:
    """A tool that writes, known by what it takes: one of several places, sentences, cells."""

    name: str
    where: str
    places: list[str]
    sentences: str
    cells: str
    missing: str

    @classmethod
    def of(cls, tool: Tool) -> "Pen | None":
        """Return a tool as one that writes; None for any other."""
        takes = inlined(tool.schema.get("properties", {}), tool.schema)
        where = next((name for name, part in takes.items() if part.get("enum")), "")
        sentences = holding(takes, "citations")
        if not where or not sentences:
            return None
        missing = next((name for name, part in takes.items() if "anyOf" in part), "")
        places = list(takes[where]["enum"])
        return cls(tool.name, where, places, sentences, holding(takes, "column"), missing)


def holding(takes: dict[str, Any], name: str) -> str:
    """Return the list whose items have a property of this name."""
    found = (n for n, p in takes.items() if name in p.get("items", {}).get("properties", ()))
    return next(found, "")


@dataclass(frozen=True)
class Known:
    """What the report has, or what was sent before: sentences and notes, and filled cells."""

    texts: set[str]
    cells: set[tuple[str, str]]

    @classmethod
    def of(cls, task: Task) -> "Known":
        """Return what stands in the inputs and in the calls so far."""
        sent = [call.arguments for call in task.conversation.calls]
        given = [task.conversation.json.get("report", {}), *sent]
        filled = {(o["row"], o["column"]) for o in objects(given) if {"row", "column"} <= o.keys()}
        return cls(set(texts(given)), filled)


def writings(task: Task) -> list[ToolCall]:
    """Return the changes to make now; none where all that is known is written."""
    pen = next(filter(None, map(Pen.of, task.conversation.tools)), None)
    if pen is None:
        return []
    known = Known.of(task)
    return [*noted(task, pen, known), *tabled(task, pen, known)][:AT_ONCE]


def reads_on(task: Task) -> bool:
    """Tell whether the agent still reads: concluding is for one who has it all."""
    return task.conversation.reaches_out


def parts(data: Any) -> Iterator[Any]:
    """Yield JSON data and everything within."""
    yield data
    within = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    for part in within:
        yield from parts(part)


def texts(data: Any) -> Iterator[str]:
    """Yield every text in JSON data."""
    return (part for part in parts(data) if isinstance(part, str))


def objects(data: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in JSON data."""
    return (part for part in parts(data) if isinstance(part, dict))


def noted(task: Task, pen: Pen, known: Known) -> Iterator[ToolCall]:
    """Yield what each section still lacks."""
    writer = Writer(task)
    for heading in pen.places:
        if heading not in task.planned("outline") or (reads_on(task) and is_concluding(heading)):
            continue
        section = writer.noted(heading) if reads_on(task) else writer.section(heading)
        fresh = [claim for claim in section["claims"] if claim["text"] not in known.texts]
        if reads_on(task):
            fresh = fresh[: max(0, MOST_PASSAGES - written(task, pen, heading))]
        for part in pieces(task, fresh, lambda claim: len(claim["text"])):
            yield pen.name, {pen.where: heading, pen.sentences: part}
        is_told = any(part["heading"] == heading and part["sentences"] for part in task.reported)
        missing = "" if reads_on(task) or is_told else section["missing"]
        if missing and pen.missing and missing not in known.texts:
            yield pen.name, {pen.where: heading, pen.missing: missing}


def written(task: Task, pen: Pen, heading: str) -> int:
    """Return how many sentences were sent for a heading."""
    sent = (c.arguments for c in task.conversation.calls if c.name == pen.name)
    return sum(
        len(given.get(pen.sentences, ())) for given in sent if given.get(pen.where) == heading
    )


def tabled(task: Task, pen: Pen, known: Known) -> Iterator[ToolCall]:
    """Yield the figures that can be set side by side."""
    table = comparison(task)
    if table is None or not pen.cells:
        return
    rows = {row for row, _ in known.cells}
    cells = [
        {"row": row["label"], "column": column, "claim": _claim(cell)}
        for row in table["rows"]
        if row["label"] in rows or len(rows) < MOST_ROWS
        for column, cell in zip(table["columns"], row["cells"], strict=True)
        if cell and (row["label"], column) not in known.cells
    ]
    for part in pieces(task, cells, lambda c: len(c["row"] + c["column"] + c["claim"]["text"])):
        yield pen.name, {pen.where: pen.places[-1], pen.cells: part}


def _claim(cell: dict[str, Any]) -> dict[str, Any]:
    return {"text": cell["text"], "citations": [{n: cell[n] for n in ("source", "quote")}]}


def pieces(task: Task, items: Iterable[Any], size: Any) -> Iterator[list[Any]]:
    """Yield lists of items, each as long as one call may be; one too long for any is left out."""
    most = task.conversation.number("max_update_size", LARGEST)
    part: list[Any] = []
    for item in items:
        if size(item) > most:
            continue
        if part and sum(map(size, [*part, item])) > most:
            yield part
            part = []
        part.append(item)
    if part:
        yield part
