"""The note on what has no figure and is filed under other tags than those that are read."""

from collections.abc import Collection, Iterator, Sequence

from contracts.company.figures import FigureGap
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.facts import Fact
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.metrics import METRICS, is_instant, say_metric
from domain.company.figures.filed.notions import NOTIONS, list_of_metrics
from domain.company.figures.filed.series import find_root, has_own_reason
from domain.company.figures.numbers import say_amount

MOST = 2
"""Facts that are named for a metric, the largest first."""


def note_filed_otherwise(
    accounts: Accounts, gaps: Sequence[FigureGap], shown: Collection[str]
) -> Iterator[Notice]:
    """Yield for each amount that is called not filed the facts of the newest fiscal year that may be it, or a part of it.

    `shown` are metrics with a figure of any period.
    """
    year = next(iter(accounts.calendar.years), None)
    for gap in gaps:
        is_amount = METRICS[gap.metric].unit == "money" and gap.state == "not_filed"
        if (
            gap.metric in shown
            or not year
            or not is_amount
            or has_own_reason(gap.state, find_root(gap.reason))
        ):
            continue
        found = [
            pair
            for name in list_of_metrics({gap.metric})
            for pair in accounts.facts.list_within(
                year.start, accounts.newest_end, accounts.currency, NOTIONS[name].named
            )
            if pair[1].value and bool(pair[1].start) != is_instant(gap.metric)
        ]
        found = [*found, *_list_of_year(accounts, gap.metric, year.start, year.end)]
        largest = sorted(dict(found).items(), key=lambda pair: -abs(pair[1].value))[:MOST]
        if largest:
            facts = [_tell(accounts, tag, fact) for tag, fact in largest]
            yield Notice.of("company-filed-otherwise", metric=say_metric(gap.metric), facts=facts)


def _list_of_year(
    accounts: Accounts, metric: str, start: str, end: str
) -> Iterator[tuple[str, Fact]]:
    """Yield the facts of a fiscal year's length that state a metric's notions."""
    for name in list_of_metrics({metric}):
        for tag, fact in accounts.facts.list_within(
            start, end, accounts.currency, NOTIONS[name].named
        ):
            if fact.value and fact.start and not is_instant(metric):
                yield tag, fact


def _tell(accounts: Accounts, tag: str, fact: Fact) -> Notice:
    amount = say_amount(fact.value, accounts.currency)
    return Notice.of(
        "filed-fact", "info", tag=name_line(tag, accounts.facts), amount=amount, end=fact.end
    )
