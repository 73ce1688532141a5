"""A company's revenue and operating income by segment, product and region, as its filings tag them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from contracts.company.filings import Filing, Part
from contracts.documents import Axis, TaggedFigure
from contracts.evidence.rows import FigureRow
from contracts.notices import Notice
from contracts.words import Language, say
from domain.company.figures.filed.facts import count_days
from domain.company.figures.filed.metrics import METRICS, say_metric
from domain.company.figures.numbers import format_number
from domain.company.figures.tables.grids import Cell, Grid, head_labels

YEARS, QUARTERS = 3, 2
"""The newest periods that are shown of each; the quarters are the newest and the one a year before."""
MAX_ROWS = 16
"""Parts of an axis that are shown, the largest ones."""
MAX_PERIODS = 11
MAX_NAME_CHARS = 120
"""A row's label that is longer gives way to the member's name, so that no table cuts it."""
LIKENESS = 0.5
"""Minimum similarity of a row's label to the member's name; less means another label, such as `Net sales`."""
TOLERANCE = 0.005
LENGTHS = {"year": range(350, 381), "quarter": range(80, 101)}
PART_METRICS = ("revenue", "operating_income")
_AXES: tuple[Axis, ...] = ("segment", "product", "region")


def select_parts(told: Sequence[tuple[Filing, Sequence[TaggedFigure]]]) -> list[Part]:
    """Return the parts that filings report, given oldest first: a newer filing overrides an older one."""
    concepts = {
        concept: (metric, rank)
        for metric in PART_METRICS
        for rank, concept in enumerate(c for tags in METRICS[metric].tags.values() for c in tags)
    }
    wholes: dict[tuple[str, str, str], float] = {}
    found: dict[tuple[Axis, str, str, str, str], tuple[int, Part]] = {}
    labels = _name_members(figure for _, figures in told for figure in figures)
    for filing, figure in ((filing, figure) for filing, figures in told for figure in figures):
        days = count_days(figure.start, figure.end) + 1
        period = next((name for name, span in LENGTHS.items() if days in span), None)
        if period is None or figure.concept not in concepts:
            continue
        metric, rank = concepts[figure.concept]
        if not figure.axis:
            wholes[metric, period, figure.end] = figure.value
            continue
        key = (figure.axis, figure.member, metric, period, figure.end)
        known = found.get(key)
        if known and known[1].accession == filing.accession and known[0] <= rank:
            continue
        told_by = filing.model_dump(include={"form", "filed", "accession"})
        named = {"name": labels[figure.member], "metric": metric, "period": period, **told_by}
        value = figure.model_dump(include={"axis", "end", "value", "unit"})
        found[key] = rank, Part.model_validate(named | value)
    parts = [part for _, part in found.values()]
    kept = [
        part.model_copy(update={"whole": wholes.get((part.metric, part.period, part.end))})
        for part in parts
        if (part.period, part.end) in _choose_periods(parts, part.axis, part.metric)
    ]
    return [part for group in _group(kept) for part in _leave_out_sums(group)]


def _name_members(figures: Iterator[TaggedFigure]) -> dict[str, str]:
    """Return each member's name: the similar label of its row, else its own name in words.

    Members whose rows have equal labels get their own names.
    """
    best: dict[str, tuple[float, str]] = {}
    for figure in figures:
        own = spell_member(figure.member)[:MAX_NAME_CHARS]
        label = figure.label if len(figure.label) <= MAX_NAME_CHARS else ""
        likeness = SequenceMatcher(None, _fold(label), _fold(own)).ratio()
        if likeness > best.get(figure.member, (-1.0, ""))[0]:
            told = label if likeness >= LIKENESS else own
            best[figure.member] = likeness, re.sub(r"[®™|]", "", told).strip()
    shared = Counter(name for _, name in best.values())
    return {
        member: name if shared[name] == 1 else spell_member(member)
        for member, (_, name) in best.items()
    }


def spell_member(member: str) -> str:
    """Return a member's name in words, e.g. `Greater China` for `aapl:GreaterChinaSegmentMember`."""
    own = member.rpartition(":")[2]
    own = re.sub(r"(?:Segment)?(?:Member|Domain)$", "", own) or own
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", own)


def _fold(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _choose_periods(parts: Sequence[Part], axis: Axis, metric: str) -> set[tuple[str, str]]:
    """Return the periods to show of an axis: the newest years, and the newest quarter with its comparison."""
    same = [part for part in parts if (part.axis, part.metric) == (axis, metric)]
    ends = {
        period: sorted({p.end for p in same if p.period == period}, reverse=True)
        for period in LENGTHS
    }
    newest = ends["quarter"][:1]
    before = [e for e in ends["quarter"] for n in newest if 350 <= count_days(e, n) <= 380]
    return {("year", end) for end in ends["year"][:YEARS]} | {
        ("quarter", end) for end in [*newest, *before[: QUARTERS - 1]]
    }


def _group(parts: Sequence[Part]) -> Iterator[list[Part]]:
    for axis in _AXES:
        for metric in PART_METRICS:
            if same := [part for part in parts if (part.axis, part.metric) == (axis, metric)]:
                yield same


def _leave_out_sums(parts: list[Part]) -> list[Part]:
    """Return the parts of an axis without the one that sums others up, in any of its periods."""
    sums: set[str] = set()
    for period in {(part.period, part.end) for part in parts}:
        same = [part for part in parts if (part.period, part.end) == period]
        whole = same[0].whole
        if whole is None or len(same) < 3:
            continue
        excess = sum(part.value for part in same) - whole
        sums |= {p.name for p in same if abs(excess - p.value) <= TOLERANCE * abs(whole) and excess}
    return [part for part in parts if part.name not in sums]


def _list_rows(
    group: Sequence[Part], periods: Sequence[tuple[str, str]]
) -> list[tuple[str, list[Cell]]]:
    """Return the parts of an axis by name with their figures, the largest of the newest period first."""
    found: dict[tuple[str, str, str], Part] = {(p.name, p.period, p.end): p for p in group}
    ordered = sorted(group, key=lambda p: (p.end, p.period == "quarter", p.value), reverse=True)
    return [
        (name, [Cell(_to_row(found.get((name, *period)))) for period in periods])
        for name in dict.fromkeys(part.name for part in ordered)
    ]


def _to_row(part: Part | None) -> FigureRow | None:
    if part is None:
        return None
    known = part.model_dump(include={"metric", "period", "end", "value", "unit"})
    return FigureRow.model_validate({**known, "accessions": [part.accession]})


def note_older_parts(parts: Sequence[Part], newest_end: str) -> list[Notice]:
    """Return a notice of parts that are older than the figures, with their filings."""
    newest = [max(group, key=lambda part: part.end) for group in _group(parts)]
    older = [
        Notice.of(
            "parts-of",
            "info",
            metric=say_metric(part.metric),
            axis=Notice.of(f"axis-{part.axis}", "info"),
            end=part.end,
            filing=name_filing(part),
        )
        for part in newest
        if part.end < newest_end
    ]
    return [Notice.of("parts-older", end=newest_end, parts=older)] if older else []


def build_parts_grid(parts: Sequence[Part], name: str, language: Language = "en") -> Grid:
    """Return the parts as one grid: a row a part and metric, a column a period with its filing."""
    periods = _sort_periods(parts)
    filings = [Cell(note=_name_filings(parts, period, language)) for period in periods]
    rows = [(say(language, "row-filing"), filings)]
    for group in _group(parts):
        axis = say(language, f"axis-{group[0].axis}")
        head = f"{say_metric(group[0].metric).say(language)} {axis}"
        own = _list_rows(group, periods)
        rows += [(f"{head}: {part}", cells) for part, cells in own[:MAX_ROWS]]
        if more := len(own[MAX_ROWS:]):
            rows.append((say(language, "row-smaller", row=head, n=more), [Cell()] * len(periods)))
        shares = [_compute_share(group, period) for period in periods]
        if any(share is not None and not _is_whole(share) for share in shares):
            label = say(language, "row-together", row=head)
            rows.append(
                (label, [Cell(note="" if s is None else format_number(s, 1)) for s in shares])
            )
    title = say(language, "grid-parts", company=name)
    heads = [say(language, f"column-part-{period}", end=end) for period, end in periods]
    return Grid(title, head_labels([parts[0].unit], language), heads, rows)


def _name_filings(parts: Sequence[Part], period: tuple[str, str], language: Language) -> str:
    """Return the names of the filings that report figures for a period, separated by commas."""
    told = (name_filing(p).say(language) for p in parts if (p.period, p.end) == period)
    return ", ".join(dict.fromkeys(told))


def name_filing(filing: Filing | Part) -> Notice:
    """Return the name of a filing, or of the one that reports a part: its form and day."""
    return Notice.of("filing-named", "info", form=filing.form, filed=filing.filed)


def _sort_periods(parts: Sequence[Part]) -> list[tuple[str, str]]:
    """Return the periods of parts, quarters first, each newest first."""
    found: set[tuple[str, str]] = {(part.period, part.end) for part in parts}
    return sorted(found, key=lambda p: (p[0] == "quarter", p[1]), reverse=True)[:MAX_PERIODS]


def _compute_share(group: Sequence[Part], period: tuple[str, str]) -> float | None:
    """Return the sum of a period's parts as a percentage of the company's total; None if the total is unknown."""
    same = [part for part in group if (part.period, part.end) == period]
    if not same or not same[0].whole:
        return None
    return 100 * sum(part.value for part in same) / same[0].whole


def _is_whole(share: float) -> bool:
    return abs(share - 100) <= 100 * TOLERANCE
