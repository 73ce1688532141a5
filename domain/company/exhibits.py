"""The charts and tables of companies' figures that a report shows."""

from collections.abc import Iterable, Iterator, Sequence

from contracts.agents.tool_definitions import ChartArgs, TableArgs
from contracts.company.figures import Fundamentals
from contracts.words import Language
from domain.company.figures.tables.changes import build_changes
from domain.company.figures.tables.charts import build_charts
from domain.company.figures.tables.grids import Grid, show_grid
from domain.company.figures.tables.key_figures import build_key_figures, build_valuations
from domain.company.figures.tables.peers import Peer, build_peer_grids
from domain.company.figures.tables.price_table import build_implied, build_past
from domain.company.figures.tables.years import build_remainder, build_years
from domain.company.filings.parts import build_parts_grid

Exhibit = ChartArgs | TableArgs


class PriceTableArgs(TableArgs):
    """A table that is shown next to the decision, because the decision is made with it."""


def build_exhibits(
    companies: Sequence[Fundamentals], peers: Sequence[Peer], today: str, language: Language = "en"
) -> Iterator[Exhibit]:
    """Yield the tables that set companies side by side, then the charts and tables of each.

    A single company has its fiscal years too. `today` is the run's day.
    """
    compared = build_peer_grids(peers, language) if len(peers) > 1 else []
    yield from _show([*compared, build_valuations(companies, language)], language)
    for each in companies:
        yield from build_charts(each, language)
        yield from _build_price_tables(each, language, is_alone=len(companies) == 1)
        grids = [
            build_key_figures(each, today, language),
            build_changes(each, language),
            build_years(each, language) if len(companies) == 1 else None,
            build_remainder(each, language),
            build_parts_grid(each.parts, each.company.name, language) if each.parts else None,
        ]
        yield from _show(grids, language)


def _show(grids: Iterable[Grid | None], language: Language) -> Iterator[TableArgs]:
    """Yield the grids as tables, but for those without a row, as of companies that have nothing to compare."""
    yield from (show_grid(grid, language) for grid in grids if grid and grid.rows)


def _build_price_tables(
    company: Fundamentals, language: Language, *, is_alone: bool
) -> Iterator[TableArgs]:
    """Yield two tables: what a company's share price requires, and what the company achieved.

    If the report is on this company alone, they are marked to be shown beside its decision.
    """
    implied = build_implied(company, language)
    past = company.valuation.implied.past if company.valuation and company.valuation.implied else ()
    for grid in (implied, build_past(past, company, language)):
        if grid:
            shown = show_grid(grid, language)
            yield PriceTableArgs.model_validate(shown.model_dump()) if is_alone else shown
