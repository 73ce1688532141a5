"""What the total debt of a company holds and leaves out, told wherever it is shown."""

from collections.abc import Iterable, Iterator

from contracts.company.figures import Figure
from contracts.notices import Notice
from domain.company.figures.filed.line_names import name_line


def note_debt_basis(figures: Iterable[Figure]) -> Iterator[Notice]:
    """Yield what total debt, and thus net cash or net debt, leaves out, and which one line it is filed as."""
    debts = {f.end: f for f in figures if f.metric == "debt"}
    newest = debts.get(max(debts, default=""))
    if newest:
        yield Notice.of("debt-leases")
    if newest and newest.value and newest.tag:
        yield Notice.of("debt-tag", end=newest.end, tag=name_line(newest.tag))
