"""The charts and tables of companies' figures that a report shows."""

from collections.abc import Iterator, Sequence

from contracts.agents.tool_definitions import ChartArgs, TableArgs
from contracts.company.figures import Fundamentals
from contracts.words import Language
from domain.company.figures.change_tables import build_changes
from domain.company.figures.charts import build_charts
from domain.company.figures.grids import show_grid
from domain.company.figures.peers import Peer, build_peer_grids
from domain.company.figures.tables import (
    build_key_figures,
    build_valuations,
)
from domain.company.figures.year_tables import build_remainder, build_years
from domain.company.filings.parts import build_parts_grid

Exhibit = ChartArgs | TableArgs


def build_exhibits(
    companies: Sequence[Fundamentals], peers: Sequence[Peer], today: str, language: Language = "en"
) -> Iterator[Exhibit]:
    """Yield the tables that set companies side by side, then the charts and tables of each.

    A single company has its fiscal years too. `today` is the run's day.
    """
    if len(peers) > 1:
        for grid in build_peer_grids(peers, language):
            yield show_grid(grid, language)
    if valuations := build_valuations(companies, language):
        yield show_grid(valuations, language)
    for each in companies:
        yield from build_charts(each, language)
        yield show_grid(build_key_figures(each, today, language), language)
        if changes := build_changes(each, language):
            yield show_grid(changes, language)
        if len(companies) == 1 and (years := build_years(each, language)):
            yield show_grid(years, language)
        if between := build_remainder(each, language):
            yield show_grid(between, language)
        if each.parts:
            yield show_grid(build_parts_grid(each.parts, each.company.name, language), language)
