"""The note that explains a change of operating cash flow by the filed lines of the cash flow statement."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.notes.lines.cash_flow_tags import (
    TAGS,
    SignedTag,
)
from domain.company.figures.notes.lines.components import LEAST_CHANGE, LEAST_PART
from domain.company.figures.notes.lines.remainders import (
    MovedPart,
    Span,
    find_remainder,
    name_remainder,
)
from domain.company.figures.notes.periods import list_newest, name_period
from domain.company.figures.numbers import find_step, round_up, say_amount

CASH_FLOW = "operating_cash_flow"
LEAST_LINES = 3
"""Minimum number of filed lines, in addition to profit, to explain a change."""
MOST_SWAPPED = 2
"""Maximum number of lines that are left out, added or turned around so that the lines add up."""
MOST_LINES = 100
"""No statement has more changes of what is owned and owed: they are not read, as those left out are chosen in pairs."""
NEAR_STEPS = 2
"""How far the lines may miss the total, in units of its last digit, and still add up to it."""
MOST_LEFT = 0.25
"""The change that no line explains is at most this share of what the lines moved, else nothing is explained."""
NEAR_BALANCE = 0.2
"""Maximum share by which a filed change may differ from its balance’s change and still show the filer’s sign."""
CHANGE_IN = "IncreaseDecreaseIn"
LEAST_TRADED = 0.05
"""Trading securities are noted if what they brought changed by this share of operating cash flow."""


class Explained(NamedTuple):
    """The lines of a cash flow statement, with what each brought in two periods, and what they leave."""

    parts: list[MovedPart]
    rest: MovedPart
    is_whole: bool
    same: MovedPart | None = None
    """The filed fact that is as much as they leave."""


def note_cash_flow_lines(accounts: Accounts) -> Iterator[Notice]:
    """Yield what moved operating cash flow in the newest twelve months or fiscal year, by its filed lines."""
    for length, end in list_newest(accounts):
        whole = _read_whole(accounts, length, end)
        if length == "quarter" or not whole:
            continue
        if abs(whole.change) <= LEAST_CHANGE * abs(whole.then):
            continue
        if found := explain_period(accounts, length, end):
            yield _tell(accounts, length, end, whole, found)
            return


def _read_whole(accounts: Accounts, length: Period, end: str) -> MovedPart | None:
    """Return the cash flow of a period and of that a year before; None unless both are known."""
    before = accounts.calendar.find_year_before(end)
    now, then = (accounts.get(length, CASH_FLOW, day) for day in (end, before))
    return MovedPart(CASH_FLOW, now.value, then.value) if now and then else None


def note_trading(accounts: Accounts) -> Iterator[Notice]:
    """Yield what operating and free cash flow grew by without the trading securities that were bought or sold."""
    for length, end in list_newest(accounts):
        days = (end, accounts.calendar.find_year_before(end))
        names = (CASH_FLOW, "free_cash_flow")
        found = [[accounts.get(length, name, day) for day in days] for name in names]
        cash = [[each.value for each in pair if each] for pair in found]
        line = SignedTag(TAGS.trading, 1 if _files_effects(accounts) else -1)
        traded = next(iter(_read_lines(accounts, length, [[line]], days)), None)
        if length == "quarter" or any(len(pair) < len(days) for pair in cash) or not traded:
            continue
        brought = (traded.now, traded.then)
        left = [[c - b for c, b in zip(pair, brought, strict=True)] for pair in cash]
        is_large = abs(brought[0] - brought[1]) > LEAST_TRADED * abs(cash[0][1])
        if is_large and min(map(min, (*cash, *left))) > 0:
            growths = [100 * (pair[0] / pair[1] - 1) for pair in (*cash, *left)]
            keys = ("growth", "free", "rest", "free_rest")
            yield Notice.of(
                "company-trading-flows",
                period=name_period(length, end),
                now=say_amount(brought[0], accounts.currency),
                then=say_amount(brought[1], accounts.currency),
                **{key: round_up(each) for key, each in zip(keys, growths, strict=True)},
            )
        return


def explain_period(accounts: Accounts, length: Period, end: str) -> Explained | None:
    """Return the lines that add up to a period's cash flow and that a year before, or nearly; None if they leave much."""
    whole, days = _read_whole(accounts, length, end), (end, accounts.calendar.find_year_before(end))
    total = accounts.get(length, CASH_FLOW, end)
    found = _explain(accounts, length, whole, days) if whole else None
    if not found or found.is_whole or not whole or not total:
        return found
    near = NEAR_STEPS * min(find_step(value) for value in (whole.now, whole.then) if value)
    used = {part.tag for part in found.parts}
    span = Span(length, total.start, *days)
    return found._replace(same=find_remainder(accounts, span, found.rest, used, near))


def _explain(
    accounts: Accounts, length: Period, whole: MovedPart, days: tuple[str, str]
) -> Explained | None:
    usual = _read_lines(accounts, length, TAGS.lines, days)
    usual += _read_lines(accounts, length, _list_changes(accounts), days)
    usual = [*{(part.now, part.then): part for part in reversed(usual)}.values()]
    names = {part.tag for part in usual}
    further = _read_lines(accounts, length, TAGS.at_times, days)
    further = [part for part in further if part.tag not in names]
    nearest: Explained | None = None
    for tag in TAGS.profit:
        profit = next(iter(_read_lines(accounts, length, [[SignedTag(tag, 1)]], days)), None)
        if not profit or len(usual) < LEAST_LINES:
            continue
        if chosen := _find_adding(whole, profit, usual, further):
            return Explained([profit, *chosen], MovedPart("", 0, 0), is_whole=True)
        sums = [sum(getattr(p, at) for p in (profit, *usual)) for at in ("now", "then")]
        rest = MovedPart("", whole.now - sums[0], whole.then - sums[1])
        moved = sum(abs(part.change) for part in (profit, *usual))
        if not nearest and abs(rest.change) <= MOST_LEFT * moved:
            nearest = Explained([profit, *usual], rest, is_whole=False)
    return nearest


def _find_adding(
    whole: MovedPart, profit: MovedPart, usual: Sequence[MovedPart], further: Sequence[MovedPart]
) -> list[MovedPart]:
    """Return the lines that add up to a total in both periods, with few of them left out, added or turned around."""
    near = NEAR_STEPS * min(find_step(value) for value in (whole.now, whole.then) if value)
    rest = [
        getattr(whole, at) - sum(getattr(p, at) for p in (profit, *usual)) for at in ("now", "then")
    ]
    swaps = [(part, -1) for part in usual] + [(part, -2) for part in usual]
    swaps += [(part, 1) for part in further]
    for count in range(MOST_SWAPPED + 1):
        for chosen in combinations(swaps, count):
            left = [
                abs(rest[n] - sum(times * (part.now, part.then)[n] for part, times in chosen))
                for n in (0, 1)
            ]
            if max(left) > near:
                continue
            moved = dict(chosen)
            kept = [part for part in usual if moved.get(part) != -1]
            turned = [part.turn() if moved.get(part) == -2 else part for part in kept]
            return [*turned, *(part for part, times in chosen if times == 1)]
    return []


def _read_lines(
    accounts: Accounts,
    length: Period,
    lines: Sequence[Sequence[SignedTag]],
    days: tuple[str, str],
) -> list[MovedPart]:
    """Return the filed lines with their effect on cash; a fiscal year without a line that the other has had none of it."""
    parts = list[MovedPart]()
    for alternatives in lines:
        for tag, sign in alternatives:
            found = [accounts.read_tag(length, tag, day) for day in days]
            if all(found) or (length == "year" and any(found)):
                now, then = (sign * each.value if each else 0.0 for each in found)
                part = MovedPart(tag, now, then, sign)
                part = part.turn() if _is_loss(accounts, length, tag, days) else part
                parts += [part] if now or then else []
                break
    return parts


def _is_loss(accounts: Accounts, length: Period, tag: str, days: tuple[str, str]) -> bool:
    """Return whether a gain on sales is filed that is more than the proceeds: it is a loss, filed without a minus."""
    for day in days if tag in TAGS.proceeds else ():
        gain = accounts.read_tag(length, tag, day)
        brought = (accounts.read_tag(length, each, day) for each in TAGS.proceeds[tag])
        received = next(filter(None, brought), None)
        if gain and received and gain.value > max(received.value, 0):
            return True
    return False


def _list_changes(accounts: Accounts) -> list[list[SignedTag]]:
    """Return the tags of changes of what is owned and owed in two fiscal years."""
    named = re.compile(TAGS.changes)
    found = dict[str, None]()
    for year in accounts.calendar.years[:2]:
        filed = accounts.facts.list_within(year.start, year.end, accounts.currency, named)
        found |= dict.fromkeys(tag for tag, fact in filed if fact.start)
    signed = (SignedTag(tag, find_sign(tag)) for tag in found if len(found) <= MOST_LINES)
    is_effect = _files_effects(accounts)
    return [[SignedTag(tag, 1 if is_effect else sign)] for tag, sign in signed if sign]


def _files_effects(accounts: Accounts) -> bool:
    """Return whether a company files changes of what it owns as what they did to cash, against the tags' definition.

    It does if each of them that is about the change of its balance has the other sign.
    """
    against = list[bool]()
    for year in accounts.calendar.years[:2]:
        before = accounts.calendar.find_year_before(year.end)
        for tag, balance in TAGS.balances.items():
            change = accounts.read_tag("year", tag, year.end)
            now, then = (accounts.read_tag("instant", balance, day) for day in (year.end, before))
            moved = now.value - then.value if now and then else 0
            if change and abs(abs(change.value) - abs(moved)) <= NEAR_BALANCE * abs(moved):
                against.append(change.value * moved < 0)
    return bool(against) and all(against)


def find_sign(tag: str) -> int:
    """Return 1 if an increase of what a tag names brings cash, -1 if it takes cash, and 0 if its name does not say."""
    is_owed, is_owned = (re.search(words, tag) for words in (TAGS.owed, TAGS.owned))
    if is_owed and is_owned:
        return 1 if re.search(TAGS.owed_net, tag) else -1
    return 1 if is_owed else -1 if is_owned else 0


def _tell(
    accounts: Accounts, length: Period, end: str, whole: MovedPart, found: Explained
) -> Notice:
    """Return a change of cash flow with its lines, largest first; small ones are summed up."""
    least = LEAST_PART * abs(whole.change)
    ranked = sorted(found.parts, key=lambda part: abs(part.change), reverse=True)
    large = [part for part in ranked if abs(part.change) >= least]
    small = sum(part.change for part in ranked[len(large) :])
    amounts = {"now": whole.now, "then": whole.then, "change": whole.change}
    amounts |= {"small": small} if small else {}
    left = {"left": found.rest.now, "before": found.rest.then, "jump": found.rest.change}
    said = {key: say_amount(value, accounts.currency) for key, value in amounts.items()}
    told = {key: say_amount(value, accounts.currency) for key, value in left.items()}
    same = name_remainder(accounts, length, end, found.same) if found.same else None
    return Notice.of(
        "company-cash-lines",
        metric=say_metric(CASH_FLOW),
        period=name_period(length, end),
        **said,
        parts=[_tell_line(accounts, part) for part in large],
        rest=Notice.of("cash-lines-whole", "info")
        if found.is_whole
        else Notice.of("cash-lines-rest", "info", **told, fact=same),
    )


def _tell_line(accounts: Accounts, part: MovedPart) -> Notice:
    """Return a line with what it brought in a period and in that a year before; below zero it took cash."""
    tag = part.tag
    if tag in TAGS.profit:
        name = say_metric("net_income")
    elif tag.startswith(CHANGE_IN):
        name = Notice.of(
            "line-change", "info", tag=name_line(tag.removeprefix(CHANGE_IN), accounts.facts)
        )
    else:
        code = "line-subtracted" if part.sign < 0 else "line-added"
        code = "line-loss" if part.sign > 0 and tag in TAGS.proceeds else code
        name = Notice.of(code, "info", tag=name_line(tag, accounts.facts))
    amounts = {"change": part.change, "now": part.now, "then": part.then}
    said = {key: say_amount(value, accounts.currency) for key, value in amounts.items()}
    return Notice.of("cash-line", "info", name=name, **said)
