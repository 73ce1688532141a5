"""Faults put into companies' facts, one tag at a time, and whether a headline figure is then shown wrong."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

from bench.companies.ground_truth import HEADLINES, OF_YEAR
from bench.companies.measurement import TOLERANCE, list_files, name_company, name_filer, read_facts
from bench.harness import make_table
from contracts.company.figures import Figure, Fundamentals
from contracts.notices import Notice
from domain.company.figures.computation import compute_fundamentals

Row = dict[str, Any]
FATES = ("same", "withheld", "noted", "missing", "wrong")
"""Outcomes: unchanged, withheld with a reason, changed with a new note, missing without a reason, changed silently."""

EXPLAINING = frozenset(
    {"company-growth", "company-conflicting", "company-share-jump", "company-common-income"}
)
"""Notes that make a reader doubt a figure."""
MAX_LISTED = 40


class Fault(NamedTuple):
    """The outcome for the figure of a tag whose facts were changed."""

    company: str
    fault: str
    tag: str
    metric: str
    fate: str
    before: float
    after: float | None


def _scale(rows: Sequence[Row]) -> list[Row]:
    return [row | {"val": 1_000 * row["val"]} for row in rows]


def _negate(rows: Sequence[Row]) -> list[Row]:
    return [row | {"val": -row["val"]} for row in rows]


def _drop(_: Sequence[Row]) -> list[Row]:
    return []


def _swap(rows: Sequence[Row]) -> list[Row]:
    """Return the facts with the values of the newest period and of the one a year before exchanged."""
    ends = sorted({row["end"] for row in rows})
    newest = ends[-1] if ends else ""
    before = next((end for end in reversed(ends) if end[:4] == str(int(newest[:4]) - 1)), "")
    values = {end: [r["val"] for r in rows if r["end"] == end] for end in (newest, before) if end}
    if len(values) < 2 or not all(values.values()):
        return list(rows)
    other = {newest: values[before][-1], before: values[newest][-1]}
    return [row | {"val": other.get(row["end"], row["val"])} for row in rows]


FAULTS: Mapping[str, Callable[[Sequence[Row]], list[Row]]] = {
    "times 1,000": _scale,
    "other sign": _negate,
    "years swapped": _swap,
    "tag dropped": _drop,
}


def measure(folder: Path) -> list[Fault]:
    """Change each headline figure's tag in all fact files below a folder, and return the outcomes."""
    return [fault for path in list_files(folder) for fault in _mutate(path, folder)]


def _mutate(path: Path, folder: Path) -> Iterator[Fault]:
    document = read_facts(path)
    found = compute_fundamentals(document, name_filer(document))
    for figure in _list_filed(found):
        for name, change in FAULTS.items():
            changed = _change(document, figure.tag, change)
            if changed == document:
                continue
            after = compute_fundamentals(changed, name_filer(document))
            fate, value = _judge(figure, found, after)
            told = (name_company(path, folder), name, figure.tag, figure.metric, fate)
            yield Fault(*told, figure.value, value)


def _list_filed(found: Fundamentals) -> Iterator[Figure]:
    """Yield the headline figures that are shown as filed, each of its newest year or day."""
    shown = [f for f in found.figures if f.metric in HEADLINES and f.tag and f.value]
    wanted = [f for f in shown if f.period == ("year" if f.metric in OF_YEAR else "instant")]
    for _, same in groupby(sorted(wanted, key=lambda f: f.metric), key=lambda f: f.metric):
        yield max(same, key=lambda f: f.end)


def _change(
    document: Mapping[str, Any], tag: str, change: Callable[[Sequence[Row]], list[Row]]
) -> dict[str, Any]:
    """Return a copy of the facts with one tag's rows changed; other parts are shared."""
    taxonomies: dict[str, Any] = {}
    for taxonomy, tags in document["facts"].items():
        taxonomies[taxonomy] = tags
        if tag in tags:
            units = {unit: change(rows) for unit, rows in tags[tag]["units"].items()}
            taxonomies[taxonomy] = {**tags, tag: {**tags[tag], "units": units}}
    return {**document, "facts": taxonomies}


def _judge(figure: Figure, before: Fundamentals, after: Fundamentals) -> tuple[str, float | None]:
    key = (figure.metric, figure.period, figure.end)
    value = next((f.value for f in after.figures if (f.metric, f.period, f.end) == key), None)
    if value is None:
        gap = next((gap for gap in after.gaps if gap.metric == figure.metric), None)
        return ("missing" if gap is None or gap.state == "not_filed" else "withheld"), None
    if abs(value - figure.value) <= TOLERANCE * abs(figure.value):
        return "same", value
    known = {_dump(note) for note in before.every_note}
    new = [n for n in after.every_note if _dump(n) not in known and n.code in EXPLAINING]
    return ("noted" if new else "wrong"), value


def _dump(note: Notice) -> str:
    return json.dumps(note.model_dump(mode="json"), sort_keys=True)


def make_tables(faults: Sequence[Fault]) -> list[Table]:
    """Return the fates by fault, and the metrics that are shown wrong most often."""
    total = make_table("Faults in one tag", "fault", "figures", *FATES)
    for name in FAULTS:
        counts = Counter(f.fate for f in faults if f.fault == name)
        total.add_row(name, str(counts.total()), *(str(counts[fate]) for fate in FATES))
    wrong = Counter((f.fault, f.metric) for f in faults if f.fate == "wrong")
    rest = make_table("Shown wrong", "fault", "figure", "times", "company")
    for (fault, metric), count in wrong.most_common(MAX_LISTED):
        of = (f.company for f in faults if (f.fault, f.metric, f.fate) == (fault, metric, "wrong"))
        rest.add_row(fault, metric, str(count), next(of))
    return [total, rest]
