"""Headline figures of the companies of a folder of fact files: right, wrong, meaningless, withheld, missing."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

import offline.filings
from bench.companies.ground_truth import HEADLINES, ON_DAY, read_rights
from bench.harness import make_table
from contracts.company.figures import Figure, FigureGap, Fundamentals
from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.filed.series import has_own_reason

SAMPLES = Path(offline.filings.__file__).parent
"""The folder of the two sample companies' fact files, which the offline EDGAR also serves."""
OUTCOMES = ("right", "wrong", "meaningless", "withheld", "missing", "unchecked")
MILLION = 1e6
TOLERANCE = 0.01
OF_DAY = {*ON_DAY, "debt", "net_cash", "securities", "book_value_per_share"}
UNREAD = "gap-contrary-unread-securities"
"""Code of the gap that the company holds further securities than the line shown."""
SECURITIES = ("short_term_investments", "long_term_investments")


class Verdict(NamedTuple):
    """The outcome of comparing one headline figure of one company."""

    company: str
    metric: str
    outcome: str
    shown: float | None
    right: float | None
    why: str


def list_files(folder: Path) -> list[Path]:
    """Return the fact files below a folder."""
    return sorted(p for p in folder.rglob("*.json*") if p.name.startswith("CIK"))


def name_company(path: Path, folder: Path) -> str:
    """Return what the table of right values calls a company: its folder, or its file."""
    return path.parent.name if path.parent != folder else path.name.partition(".")[0]


def read_facts(path: Path) -> dict[str, Any]:
    """Return the content of a fact file, which may be compressed."""
    body = path.read_bytes()
    document: dict[str, Any] = json.loads(gzip.decompress(body) if path.suffix == ".gz" else body)
    return document


def judge(path: Path, folder: Path) -> Iterator[Verdict]:
    """Yield what became of each headline figure of a file that has a right value or is shown."""
    document = read_facts(path)
    name = name_company(path, folder)
    found = compute_fundamentals(document, name_filer(document))
    if not found.figures:
        yield Verdict(name, "every figure", "missing", None, None, "no figures at all")
        return
    year_end = next((f.end for f in found.figures if f.period == "year"), "")
    day = found.newest_end
    rights = read_rights(document, name, year_end, day)
    shown = {metric: _find(found, metric, year_end, day) for metric in HEADLINES}
    gaps = {gap.metric: gap for gap in found.gaps}
    if (unread := gaps.get("net_cash")) and unread.reason.code == UNREAD:
        shown["securities"], gaps["securities"] = None, unread
    for metric in HEADLINES:
        yield from _judge_one(name, metric, shown[metric], rights, gaps.get(metric))


def _judge_one(
    company: str,
    metric: str,
    shown: float | None,
    rights: dict[str, float | None],
    gap: FigureGap | None,
) -> Iterator[Verdict]:
    right = rights.get(metric)
    if shown is None and right is None:
        return
    if shown is None:
        is_told = gap is not None and has_own_reason(gap.state, gap.reason)
        why = gap.reason.text if gap else ""
        outcome = "withheld" if is_told else "missing"
        yield Verdict(company, metric, outcome, None, right, why)
    elif metric in rights and right is None:
        yield Verdict(company, metric, "meaningless", shown, None, "")
    elif right is None:
        yield Verdict(company, metric, "unchecked", shown, None, "")
    else:
        is_right = abs(shown - right) <= TOLERANCE * max(abs(right), abs(shown))
        yield Verdict(company, metric, "right" if is_right else "wrong", shown, right, "")


def _find(found: Fundamentals, metric: str, year_end: str, day: str) -> float | None:
    """Return the figure shown for a metric, for the latest year or on the latest day."""
    names = SECURITIES if metric == "securities" else (metric,)
    wanted = ("instant", day) if metric in OF_DAY else ("year", year_end)
    fits: list[Figure] = [
        f for f in found.figures if f.metric in names and (f.period, f.end) == wanted
    ]
    if not fits and metric == "shares_outstanding":  # reported as of the cover's date, weeks later
        fits = [f for f in found.figures if f.metric == metric][:1]
    return sum(f.value for f in fits) if fits else None


def name_filer(document: dict[str, Any]) -> Company:
    """Return the company of a fact file by its number and name."""
    cik = int(document.get("cik") or 1)
    return Company(cik=cik, ticker=f"CIK{cik}", name=str(document.get("entityName") or cik))


def measure(folder: Path) -> list[Verdict]:
    """Return what became of the headline figures of every fact file below a folder."""
    return [verdict for path in list_files(folder) for verdict in judge(path, folder)]


def make_tables(verdicts: Sequence[Verdict]) -> list[Table]:
    """Return the outcomes in all, and each that is not right."""
    counts = Counter(v.outcome for v in verdicts)
    total = make_table("Headline figures", "companies", *OUTCOMES)
    companies = len({v.company for v in verdicts})
    total.add_row(str(companies), *(str(counts[name]) for name in OUTCOMES))
    rest = make_table("Not right", "company", "figure", "outcome", "shown", "right", "why")
    for v in verdicts:
        if v.outcome != "right":
            rest.add_row(v.company, v.metric, v.outcome, _write(v.shown), _write(v.right), v.why)
    return [total, rest]


def _write(value: float | None) -> str:
    return (
        ""
        if value is None
        else f"{value:,.4g}"
        if abs(value) < MILLION
        else f"{value / MILLION:,.1f}m"
    )
