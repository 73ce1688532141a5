"""What total debt and cash include and leave out; part of every place that shows net debt."""

from collections.abc import Iterable, Iterator, Sequence

from contracts.company.figures import Figure
from contracts.notices import Notice
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.numbers import say_amount

NET = ("net_cash", "net_debt")
"""Metrics that cash is a part of."""
LATER = "Noncurrent"
"""Part of a tag of debt that leaves out what falls due within a year."""
DUE = ("current_debt", "long_term_debt_due")
"""Metrics of what falls due within a year; a filed zero is one, too."""
WITH_RESTRICTED = "CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents"
"""Tag of cash in one sum with restricted cash."""


def note_debt_basis(figures: Iterable[Figure]) -> Iterator[Notice]:
    """Yield what total debt and cash, and thus net cash or net debt, leave out, and which one line debt is filed as."""
    figures = [*figures]
    debts = {f.end: f for f in figures if f.metric == "debt"}
    newest = debts.get(max(debts, default=""))
    if newest:
        yield Notice.of("debt-leases")
    if newest and newest.value and newest.tag:
        is_due_filed = any(f.metric in DUE and f.end == newest.end for f in figures)
        is_open = LATER in newest.tag and not is_due_filed
        more = Notice.of("debt-tag-later", "info") if is_open else None
        yield Notice.of("debt-tag", end=newest.end, tag=name_line(newest.tag), more=more)
    yield from _note_restricted(figures)


def _note_restricted(figures: Sequence[Figure]) -> Iterator[Notice]:
    """Yield whether the newest cash, where net cash or net debt is of it, is with or without restricted cash."""
    cash = max((f for f in figures if f.metric == "cash"), key=lambda f: f.end, default=None)
    if not cash or not any(f.metric in NET and f.end == cash.end for f in figures):
        return
    if cash.tag == WITH_RESTRICTED:
        yield Notice.of("cash-restricted-in", end=cash.end)
    for kept in figures:
        if kept.metric == "restricted_cash" and kept.end == cash.end and kept.value:
            amount = say_amount(kept.value, kept.unit)
            yield Notice.of("cash-restricted-out", amount=amount, end=cash.end)
