"""A company's key figures, and what prices mean, as grids for people."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from contracts.company.figures import Figure, FigureGap, Fundamentals, GapState
from contracts.company.valuation import SharePrice, Valuation
from contracts.evidence.rows import Period
from contracts.notices import Notice
from contracts.words import Language, say
from domain.company.figures.accounts.withheld import PERIMETER
from domain.company.figures.dates import call_company, count_months, date_figures, say_price
from domain.company.figures.filed.facts import count_days, parse_day
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.metrics import GROWTH, LABELS, METRICS, name_row, say_metric
from domain.company.figures.filed.periods import YEAR, shift_day
from domain.company.figures.filed.series import find_root
from domain.company.figures.share_bases import label_row, note_shares
from domain.company.figures.tables.grids import (
    Cell,
    Grid,
    head_labels,
    name_currency,
    show_state,
    write_number,
)
from domain.company.figures.valuation.multiples import BOOKS, holds_shares
from domain.company.figures.valuation.notes import AVERAGE_SHARES, UNUSUAL_EARNINGS, WEEKEND
from domain.company.figures.valuation.valuation import state_price

OF_DEBT = {name for name in METRICS if "enterprise_value" in name or "ev_to" in name}
"""Valuation measures that require a known debt."""
PRICES = ("share_price", "ads_price")
"""Measures that are a price itself: of a share, or of a depositary share with an unknown ratio."""
LENGTHS: tuple[Period, ...] = ("ttm", "to_date", "quarter", "instant", "year")
"""Kinds of period in the order of their columns."""
BEFORE = "_before"
"""Marks the column of what the newest quarter, balance sheet, or fiscal year of a yearly filer are compared with."""
COVER_METRIC = "shares_outstanding"
"""Counted on the cover of a report, weeks after the period it is of."""


def build_key_figures(fundamentals: Fundamentals, today: str, language: Language = "en") -> Grid:
    """Return the table of key figures: one row per metric, headline metrics first, one column per kind of period.

    Growth follows its period; for the newest quarter, balance sheet or fiscal year, the earlier value stands between.
    A missing value shows its state. Metrics without any value are listed below the table by state. The title states
    how old the figures are on `today`.
    """
    figures = [f for f in choose_shown(fundamentals.figures) if f.period in LENGTHS]
    days = find_newest_days(figures)
    day: Period = "quarter" if "quarter" in days else "instant"
    # equal columns are one
    twelve: Period = "year" if days.get("ttm") == days.get("year") else "ttm"
    places: dict[Period, Period] = {p: p for p in LENGTHS}
    places |= {"ttm": twelve, "quarter": day, "instant": day}
    newest: dict[tuple[str, Period], Figure] = {}
    for figure in _leave_out_old(figures, days.get("year", "")):  # newest first
        newest.setdefault((figure.metric, figure.period), figure)
    placed = {
        (metric, places[period]): figure
        for (metric, period), figure in newest.items()
        if figure.end == days.get(places[period])
    }
    began = find_year_begin(figures, days.get("instant", ""), is_yearly=fundamentals.kind == "bank")
    compared = {p: days[p] for p in days if p == day or p == twelve == "year"}
    befores = _find_befores(figures, newest, places, compared, began)
    columns = [
        (p, of)
        for p in dict.fromkeys(places[p] for p in LENGTHS)
        if p in days
        for of in ("", *([BEFORE] if p in compared else []), GROWTH)
    ]
    span = next((f for f in figures if f.period == "to_date"), None)
    states = _list_states(fundamentals, places, days)
    rows, without = (
        _list_priced(fundamentals, len(columns), language),
        dict[GapState, list[Notice]](),
    )
    for name in sorted(LABELS, key=lambda name: not METRICS[name].key):
        own = [figure for (metric, _), figure in newest.items() if metric == name]
        same = [*own, *(f for (metric, _), f in befores.items() if metric == name)]
        cells = [
            _show_before(befores.get((name, period)), began, same, language)
            if of == BEFORE
            else _show_placed(placed[name + of, period], same, language)
            if (name + of, period) in placed
            else show_state(None if of else states.get((name, period)), language)
            for period, of in columns
        ]
        others = (
            say(
                language,
                f"other-{f.period.replace('_', '-')}",
                value=write_number(f, language),
                end=f.end,
                months=count_span(f),
            )
            for f in own
            if (name, places[f.period]) not in placed and f not in befores.values()
        )
        if own:
            cells.append(Cell(note=", ".join(others)))
            rows.append((label_row(name, same, language), cells))
        else:
            for state in [cell.state for cell in cells if cell.state][:1]:
                without.setdefault(state, []).append(say_metric(name))
    heads = [
        head_column(period, of, began if of == BEFORE else days[period], span, language)
        for period, of in columns
    ] + [say(language, "grid-other-day")]
    title = date_figures(fundamentals, fundamentals.as_of or today, is_brief=True)
    money = (f.unit for f in fundamentals.figures if f.metric in METRICS)
    head = head_labels([next((unit for unit in money if unit.isupper()), "USD")], language)
    return Grid(title.say(language).rstrip("."), head, heads, rows, _fold(without, language))


PRICED = ("share_price", "market_value")
"""Metrics of the first rows of the key figures: a reader weighs the others against the price."""


def _list_priced(
    fundamentals: Fundamentals, count: int, language: Language
) -> list[tuple[str, list[Cell]]]:
    """Return the rows of the price and the market value, which belong to none of `count` columns of periods."""
    found = fundamentals.valuation.rows if fundamentals.valuation else []
    priced = {row.metric: row for row in reversed(found)}
    rows = list[tuple[str, list[Cell]]]()
    for row in (priced[name] for name in PRICED if name in priced):
        told = say(language, "other-priced", value=write_number(row, language), day=row.price_day)
        label = name_row(row.metric, {row.unit}, language)
        rows.append((label, [*[Cell()] * count, Cell(note=told)]))
    return rows


def _leave_out_old(figures: Iterable[Figure], year: str) -> Iterator[Figure]:
    """Yield figures without those of fiscal years, or days, before the newest year, which the table of years has."""
    return (f for f in figures if f.period not in ("year", "instant") or f.end >= year)


def _find_befores(
    figures: Sequence[Figure],
    newest: Iterable[tuple[str, Period]],
    places: Mapping[Period, Period],
    compared: Mapping[Period, str],
    began: str,
) -> dict[tuple[str, Period], Figure]:
    """Return what the newest figures are compared with, by metric and column; `compared` has the days of these columns."""
    return {
        (metric, places[period]): before
        for metric, period in newest
        if (place := places[period]) in compared and metric in METRICS
        if (before := find_before(figures, metric, period, compared[place], began))
    }


def _fold(without: Mapping[GapState, Sequence[Notice]], language: Language) -> str:
    """Return the metrics that no row shows, by the state that they share; empty if there are none."""
    parts = [
        Notice.of(f"without-{state.replace('_', '-')}", "info", metrics=[*metrics])
        for state, metrics in without.items()
    ]
    return say(language, "grid-without", parts=parts) if parts else ""


def _list_states(
    fundamentals: Fundamentals, places: Mapping[Period, Period], days: Mapping[Period, str]
) -> dict[tuple[str, Period], GapState]:
    """Return why metrics are missing in the columns of their periods."""
    return {
        (gap.metric, places[gap.period]): _name_state(gap)
        for gap in fundamentals.gaps
        if gap.period in places and gap.end == days.get(places[gap.period])
    }


def _name_state(gap: FigureGap) -> GapState:
    """Return a gap's state as it is shown; no filing states what is computed alone, so that it is not called unfiled."""
    if find_root(gap.reason).code == PERIMETER:
        return "other_businesses"
    is_computed = gap.state == "not_filed" and not METRICS[gap.metric].tags
    return "not_computed" if is_computed else gap.state


def head_column(period: Period, of: str, end: str, span: Figure | None, language: Language) -> str:
    """Return the head of a column: a period, the one before it, or the growth from that."""
    kind = {BEFORE: "before-", GROWTH: "growth-"}.get(of, "")
    named: dict[str, Notice | str] = {"months": count_span(span)} if span else {}
    named |= {"end": end} if end else {}
    return say(language, f"column-{kind}{period.replace('_', '-')}", **named)


def find_year_begin(figures: Iterable[Figure], day: str, *, is_yearly: bool = False) -> str:
    """Return the last fiscal year's end before a day, or the day before the first of the months to date; else nothing.

    If it `is_yearly`, as a bank's balance sheet swells within a year, the day a year before goes first.
    """
    figures = [*figures]
    assets = (
        f.end for f in figures if (f.metric, f.period) == ("assets", "instant") and f.end < day
    )
    if is_yearly and (year := next((e for e in assets if count_days(e, day) - 1 in YEAR), "")):
        return year
    ends = {f.end for f in figures if f.period == "year" and f.end < day}
    ends |= {shift_day(f.start, -1) for f in figures if f.period == "to_date" and f.end == day}
    return max(ends, default="")


def find_before(
    figures: Iterable[Figure], metric: str, period: Period, end: str, began: str
) -> Figure | None:
    """Return what a quarter's figure is compared with, that of a year before, or a day's: that on which the year began.

    An amount of a day that moves with the seasons is compared with that of a year before where it is known.
    """
    same = [f for f in figures if (f.metric, f.period) == (metric, period) and f.end < end]
    year = next((f for f in same if count_days(f.end, end) - 1 in YEAR), None)
    last = next((f for f in same if f.end == began), None)
    is_seasonal = period != "instant" or "instant" in METRICS[metric].growth.newest
    return year or last if is_seasonal else last or year


def _show_placed(figure: Figure, same: Collection[Figure], language: Language) -> Cell:
    """Return the cell of a newest figure, with its shares if the row's figures are of several counts."""
    return Cell(figure, note_shares(figure, same, language))


def _show_before(
    before: Figure | None, began: str, same: Collection[Figure], language: Language
) -> Cell:
    """Return the cell of an earlier figure, with its day if the column's head names another; empty without one."""
    if not before:
        return Cell()
    if before.period == "instant" and before.end != began:
        return Cell(before, note_cell(language, day=before.end))
    return _show_placed(before, same, language)


def count_span(figure: Figure) -> Notice:
    """Return how many months a figure is of."""
    return count_months(figure.start or figure.end, figure.end)


REPEATED = {
    "continuing_income": "net_income",
    "continuing_eps": "diluted_eps",
    "shareholders_income": "net_income",
    "common_dividends": "dividends",
    "book_value_per_share": "property_book_per_share",
}
"""Metrics that are not shown where all their figures are those of another metric."""


def choose_shown(figures: Iterable[Figure]) -> list[Figure]:
    """Return the figures without what others say: net cash of days with net debt, and metrics that repeat another.

    A metric that stands in for another is left out where the other is known of any period: their bases differ.
    """
    figures = list(figures)
    indebted = {f.end for f in figures if f.metric == "net_debt"}
    values = {(f.metric, f.period, f.end): f.value for f in figures}
    repeating = {
        name
        for name, other in REPEATED.items()
        if all(values.get((other, f.period, f.end)) == f.value for f in figures if f.metric == name)
    }
    shown = {f.metric for f in figures}
    repeating |= {name for name in shown & METRICS.keys() if METRICS[name].instead_of in shown}
    repeating |= {name + GROWTH for name in repeating}
    return [
        f
        for f in figures
        if f.metric not in repeating and (f.metric != "net_cash" or f.end not in indebted)
    ]


def find_newest_days(figures: Iterable[Figure]) -> dict[Period, str]:
    """Return the newest day of each kind of period, but for that of a report's cover."""
    days: dict[Period, str] = {}
    for figure in figures:
        if figure.metric != COVER_METRIC:
            days[figure.period] = max(days.get(figure.period, ""), figure.end)
    return days


def build_valuations(companies: Iterable[Fundamentals], language: Language = "en") -> Grid | None:
    """Return what prices mean: a row a measure, a column a company with the days of its price and figures.

    The title says of which share a price is where that is not the traded one, and why nothing follows from a price.
    """
    valued = list[tuple[Fundamentals, Valuation]]()
    for each in companies:
        if each.valuation:
            valued.append((each, each.valuation))
        elif each.unused_price:
            valued.append((each, state_price(each.unused_price, is_ads=each.is_ads)))
    if not valued:
        return None
    currencies = [found.price.currency for _, found in valued]
    rows: list[tuple[str, list[Cell]]] = []
    for name in (name for name, metric in METRICS.items() if metric.priced):
        same = [row for _, found in valued for row in found.rows if row.metric == name]
        lost: list[Period] = ["ttm"] if any(name in found.losses for _, found in valued) else []
        for period in dict.fromkeys([row.period for row in same] + lost):
            at = say(language, "row-fiscal-year") if period == "year" else None
            label = name_row(name, {row.unit for row in same}, language, at)
            cells = [_show_measure(*each, name, period, language) for each in valued]
            rows.append((label, cells))
    heads = [
        say(
            language,
            "column-price"
            if any(row.period == "ttm" for row in found.rows)
            else "column-price-newest",
            **(
                {
                    "company": f"{call_company(each)}{name_currency(found.price.currency, currencies)}"
                }
                if len(valued) > 1
                else {}
            ),
            day=found.price.day,
            end=each.newest_end,
        )
        for each, found in valued
    ]
    names = [call_company(each) for each, _ in valued]
    bases = [basis for each, found in valued for basis in _name_bases(each, found.price)]
    codes = dict.fromkeys(f"{basis.code}-title" for basis in bases)
    more = {"bases": [Notice.of(code, "info") for code in codes]} if codes else {}
    title = say(language, "grid-valuation", names=names, **more)
    told = " ".join(basis.say(language) for basis in bases)
    is_amount = any(row.unit.isupper() for _, found in valued for row in found.rows)
    head = head_labels(currencies, language) if is_amount else say(language, "grid-of-price")
    return Grid(title, head, heads, rows, told)


def _name_bases(company: Fundamentals, price: SharePrice) -> Iterator[Notice]:
    """Yield why nothing follows from a price, of how many shares it is, and that figures are translated to its currency."""
    named = {"company": call_company(company)}
    for note in company.head_notes:
        if company.unused_price and note.code == "company-price-unused":
            told = {name: note.params[name] for name in ("why", "follows")}
            yield Notice.of("price-basis-none", "info", **named, **told)
            return
    if (price.ads_ratio or 1) != 1:
        yield Notice.of("price-basis-ads", "info", **named, price=say_price(price))
    if company.translated:
        to = price.currency
        yield Notice.of("price-basis-translated", "info", **named, currency=to)


def _show_measure(
    company: Fundamentals, found: Valuation, name: str, period: Period, language: Language
) -> Cell:
    """Return what a price means as a cell."""
    if not applies(name, company.kind):
        return show_state("does_not_apply", language)
    rows = [row for row in found.rows if (row.metric, row.period) == (name, period)]
    if not rows:
        if name in found.losses:
            return Cell(note=name_loss(name, language))
        if company.unused_price and name not in PRICES:
            return show_state("not_computed", language)
        debt = (gap.state for gap in company.gaps if gap.metric == "net_cash")
        return show_state(next(debt, None) if name in OF_DEBT else None, language)
    more = [_name_origin(found.price)] if name in PRICES else []
    unusual = [n for n in found.notices if n.code == UNUSUAL_EARNINGS]
    if unusual and name == "price_to_earnings":
        told = {key: unusual[0].params.get(key) for key in ("multiple", "fiscal", "other")}
        more.append(Notice.of("cell-unusual", **told))
    other = next((n for n in found.notices if n.code == AVERAGE_SHARES), None)
    if other and name == "price_to_earnings":
        more.append(Notice.of("cell-by-market-value", "info", multiple=other.params["now"]))
    if name == "dividend_yield" and holds_shares(company):
        more.append(Notice.of("cell-cash-alone", "info"))
    return Cell(rows[0], note_cell(language, of=rows[0].of, more=more))


def _name_origin(price: SharePrice) -> Notice:
    """Return where a price is from; one given for a weekend can be of the last close before at the newest."""
    is_weekend = price.origin == "given" and parse_day(price.day).weekday() in WEEKEND
    return Notice.of("price-given-weekend" if is_weekend else f"price-{price.origin}")


def name_loss(name: str, language: Language) -> str:
    """Return the text that replaces a multiple if its divisor is a loss or a negative book value."""
    is_book = any(book in formula for formula in METRICS[name].formulas for book in BOOKS)
    return say(language, "cell-negative" if is_book else "cell-loss")


def note_cell(
    language: Language,
    *,
    day: str = "",
    of: str = "",
    more: Sequence[str | Notice] | int | None = None,
) -> str:
    """Return the note after a figure, in brackets: its day, basis and further text."""
    by = Notice.of(f"cell-by-{of.replace('_', '-')}") if of else None
    told = Notice.of("cell", "info", day=day or None, by=by, more=more or None)
    return told.say(language)
