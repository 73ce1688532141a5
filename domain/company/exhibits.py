"""The charts and tables of companies' figures that a report shows."""

from collections.abc import Iterator, Sequence

from contracts.agents.tools import ChartArgs, TableArgs
from contracts.company.figures import Fundamentals
from domain.company.figures.charts import build_charts
from domain.company.figures.peers import build_peer_table
from domain.company.figures.tables import build_table
from domain.company.figures.valuation_text import build_valuation_table
from domain.company.filings.parts import build_parts_table

Exhibit = ChartArgs | TableArgs


def build_exhibits(companies: Sequence[Fundamentals], today: str) -> Iterator[Exhibit]:
    """Yield the tables that set companies side by side, then the charts and tables of each.

    The first company has the others as its peers; `today` is the run's day.
    """
    peers = companies[0].peers
    if len(peers) > 1:
        yield build_peer_table(peers)
    if valuations := build_valuation_table(companies):
        yield valuations
    for each in companies:
        yield from build_charts(each)
        yield build_table(each, today)
        if each.parts:
            yield build_parts_table(each.parts, each.company.name, each.newest_end)
