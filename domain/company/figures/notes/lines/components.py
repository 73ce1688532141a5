"""Notices on the filed components of a total that moved it most, so that nobody calls the reason of its change not found."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.components import COMPONENTS, Components
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.series import Amount
from domain.company.figures.notes.lines.cash_flow_tags import SUBTRACTED
from domain.company.figures.notes.lines.movers import name_item
from domain.company.figures.notes.lines.remainders import MovedPart, Span, find_remainder
from domain.company.figures.notes.periods import name_period
from domain.company.figures.numbers import find_step, round_up, say_amount

SHOWN = 5
"""Components that a notice names, the largest change first."""
LEAST_CHANGE = 0.02
"""A total is explained if it changed by more than this share."""
LEAST_PART = 0.05
"""A component is named if it changed by at least this share of the total's change."""
REMAINDER = re.compile("Other(Cost|Operating|Expense|Noninterest)")
"""How tags of what other lines leave begin."""
MOST_LEFT = 0.25
"""A line of other costs from this part of the total on explains nothing: it is what a company's named costs leave."""
WIDER = {
    "operating_costs": ("total_costs",),
    "operating_expenses": ("total_costs", "operating_costs"),
}
"""Maps a total to the wider totals that include it."""
COSTS = ("noninterest_expense", "insurer_costs", "interest_paid_on_funds", "total_costs", *WIDER)
"""Totals that hold nothing larger than themselves: gains do not set off costs."""
NEAR_STEPS = 2
"""How far a fact may miss what lines leave, in units of the total's last digit, and still be as much."""
MOST_TRIED = 16
"""Maximum number of components to combine; each half of them has two to the eighth power sums."""


def note_components(accounts: Accounts, spans: Sequence[tuple[Period, str]]) -> Iterator[Notice]:
    """Yield for each total its components that moved most: of the newest periods, and of the newest day."""
    told = set[tuple[str, Period]]()
    for name, components in COMPONENTS.items():
        day: list[tuple[Period, str]] = [("instant", accounts.newest_end)]
        for length, end in spans if components.flows else day:
            if length == "year" and (name, "ttm") in told:
                continue
            if {(other, length) for other in WIDER.get(name, ())} & told:
                continue
            notice = _explain(accounts, name, length, end) if applies(name, accounts.kind) else None
            if notice:
                told.add((name, length))
                yield notice


def _explain(accounts: Accounts, name: str, length: Period, end: str) -> Notice | None:
    """Return what moved a total, or its largest components where they offset each other; None if little did."""
    components = COMPONENTS[name]
    before = accounts.find_compared(length, name, end)
    now, then = (accounts.get(length, name, day) for day in (end, before))
    if not now or not then:
        return None
    whole = MovedPart(name, now.value, then.value)
    tags = components.flows or components.days
    tags = [*tags, *_list_further(accounts, components, end)]
    read = [*_read_parts(accounts, length, tags, end, before)]
    rests = [part for part in read if _is_remainder(part, whole)]
    parts = [part for part in read if part not in rests and not _exceeds(part, whole)]
    is_whole = bool(components.flows) and not components.is_part
    adding = _find_adding(parts, whole) if is_whole else []
    if is_whole and not adding:
        parts = [part for part in parts if part.tag not in SUBTRACTED]
    named = _choose_named(adding or parts, whole)
    is_moved = abs(whole.change) > LEAST_CHANGE * abs(whole.then)
    largest = max((abs(part.change) for part in named), default=0.0)
    if not named or not (is_moved or (is_whole and largest > LEAST_PART * abs(whole.then))):
        return None
    notice = _tell(accounts, whole, named)
    if length == "instant":
        return Notice.of("company-components-days", **notice, first=before, last=end)
    if adding:
        share = 100 * sum(part.change for part in named) / whole.change if is_moved else None
        more = {"share": round_up(share, 0)} if share else {}
        code = "company-components"
    else:
        more = (
            _tell_left(
                accounts, Span(length, now.start, end, before), whole, [*parts, *rests], rests
            )
            if is_whole
            else {}
        )
        code = "company-components-loose"
    return Notice.of(code, **notice, **more, period=name_period(length, end))


def _tell_left(
    accounts: Accounts,
    span: Span,
    whole: MovedPart,
    parts: Sequence[MovedPart],
    rests: Sequence[MovedPart],
) -> dict[str, Any]:
    """Return lines that are mere remainders, and what all lines leave where they cannot hold one another."""
    apart = [*{(part.now, part.then): part for part in parts}.values()]
    left = MovedPart(
        "", whole.now - sum(part.now for part in apart), whole.then - sum(p.then for p in apart)
    )
    least = LEAST_PART * abs(whole.change)
    is_large = min(left.now, left.then) >= 0 and abs(left.change) >= least
    amounts = {"left": left.now, "before": left.then, "jump": left.change} if is_large else {}
    told: dict[str, Any] = {
        key: say_amount(value, accounts.currency) for key, value in amounts.items()
    }
    near = NEAR_STEPS * min(
        (find_step(each) for each in (whole.now, whole.then) if each), default=1
    )
    used = {part.tag for part in parts}
    if is_large and (found := find_remainder(accounts, span, left, used, near)):
        told["fact"] = name_line(found.tag, accounts.facts)
    moved = [part for part in rests if abs(part.change) >= least]
    return told | ({"rests": _tell_parts(accounts, moved)} if moved else {})


def _read_parts(
    accounts: Accounts, length: Period, tags: Sequence[str], end: str, before: str
) -> Iterator[MovedPart]:
    """Yield the components that are filed of both periods."""
    for names in tags:
        for tag in names.split("|"):
            found: list[Amount | None] = [
                accounts.read_tag(length, tag, day) for day in (end, before)
            ]
            now, then = found
            if now and then and (now.value or then.value):
                yield MovedPart(tag, now.value, then.value)
                break


def _list_further(accounts: Accounts, components: Components, end: str) -> list[str]:
    """Return the tags of a day that the list of components leaves out, and that are lines by how they are named."""
    if not components.pattern:
        return []
    listed = {tag for names in components.days for tag in names.split("|")}
    named = re.compile(components.pattern)
    filed = (tag for tag, _ in accounts.facts.list_within(end, end, accounts.currency, named))
    return [tag for tag in filed if tag not in listed]


def _is_remainder(part: MovedPart, whole: MovedPart) -> bool:
    """Return whether a line is what a company's named costs leave of a total, which says nothing on its change."""
    return bool(REMAINDER.match(part.tag)) and abs(part.now) > MOST_LEFT * abs(whole.now)


def _exceeds(part: MovedPart, whole: MovedPart) -> bool:
    """Return whether a line is more than a total of costs in both periods, so that it is no part of it."""
    return whole.tag in COSTS and part.now > whole.now > 0 and part.then > whole.then > 0


def _choose_named(parts: Sequence[MovedPart], whole: MovedPart) -> list[MovedPart]:
    """Return the components that changed most, each a material part of the total's change; equal ones count once."""
    apart = {(part.now, part.then): part for part in reversed(parts)}
    least = LEAST_PART * abs(whole.change)
    moved = [part for part in apart.values() if abs(part.change) >= least]
    return sorted(moved, key=lambda part: abs(part.change), reverse=True)[:SHOWN]


def _find_adding(parts: Sequence[MovedPart], whole: MovedPart) -> list[MovedPart]:
    """Return the components that add up to a total in both periods; empty if none do.

    Some that are filed are a part of others: the sums of each half are held against what the other half leaves.
    """
    tried = sorted(parts, key=lambda part: abs(part.now), reverse=True)[:MOST_TRIED]
    step = min((find_step(value) for value in (whole.now, whole.then) if value), default=1.0)
    near = step * (len(tried) + 1)
    half = len(tried) // 2
    left, right = (_list_sums(each) for each in (tried[:half], tried[half:]))
    by_rest: Mapping[int, list[tuple[float, float, list[MovedPart]]]] = _group(right, near)
    for now, then, chosen in sorted(left, key=lambda each: -len(each[2])):
        bucket = round((whole.now - now) / near)
        for other in (n for b in (bucket - 1, bucket, bucket + 1) for n in by_rest.get(b, ())):
            rests = (whole.now - now - other[0], whole.then - then - other[1])
            if max(map(abs, rests)) <= near and len(chosen) + len(other[2]) > 1:
                return [*chosen, *other[2]]
    return []


def _list_sums(parts: Sequence[MovedPart]) -> list[tuple[float, float, list[MovedPart]]]:
    """Return the sums of all choices of some components, in both periods."""
    chosen = (c for n in range(len(parts) + 1) for c in combinations(parts, n))
    return [(sum(p.now for p in c), sum(p.then for p in c), [*c]) for c in chosen]


def _group(
    sums: Sequence[tuple[float, float, list[MovedPart]]], near: float
) -> dict[int, list[tuple[float, float, list[MovedPart]]]]:
    groups: dict[int, list[tuple[float, float, list[MovedPart]]]] = {}
    for each in sums:
        groups.setdefault(round(each[0] / near), []).append(each)
    return groups


def _tell(
    accounts: Accounts, whole: MovedPart, named: Sequence[MovedPart]
) -> dict[str, Notice | list[Notice]]:
    """Return a total's name, its amounts and its change, and its components."""
    amounts = {"now": whole.now, "then": whole.then, "change": whole.change}
    said = {key: say_amount(value, accounts.currency) for key, value in amounts.items()}
    return {"metric": name_item(whole.tag), **said, "parts": _tell_parts(accounts, named)}


def _tell_parts(accounts: Accounts, parts: Sequence[MovedPart]) -> list[Notice]:
    """Return components with their changes and their amounts."""
    return [
        Notice.of(
            "component",
            "info",
            tag=name_line(part.tag, accounts.facts),
            change=say_amount(part.change, accounts.currency),
            now=say_amount(part.now, accounts.currency),
        )
        for part in parts
    ]
