"""Checks by code whether the days and years of a sentence occur in its quotes, around them, or on its pages."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from contracts.evidence.claims import Citation
from contracts.evidence.reasons import Reason
from domain.evidence.figures.notation.dates import Date, complete_year, parse_dates
from domain.evidence.figures.notation.figure_parser import parse_figures
from domain.evidence.figures.notation.quantities import YEAR, Quantity
from domain.evidence.figures.quote_reading import has_unread_numbers
from domain.evidence.normal_forms import normalize
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.pages.table_heads import HEADER_REACH

_AROUND = 400
_SHORT_YEAR = re.compile(
    r"(?<!\d)(?P<first>(?:19|20)\d\d)\s?[-/]\s?(?P<next>\d\d)(?!\d|[-/]\d)"
    r"|(?:\b(?:FY|GJ)\s?'?|(?<!\w)')(?P<short>\d\d)(?!\w)|(?<!\d)(?P<decade>(?:19|20)\d0)(?:s|er)(?!\w)"
)
"""Years in few digits: 2019-20, FY24, '24, the 1990s."""
_RELATIVE_DATE = re.compile(
    r"\b(?:today|yesterday|tomorrow|last|this|next|previous|prior|ago|earlier|later|"
    r"heute|gestern|vorige[nrs]?|vergangene[nrs]?|kommende[nrs]?|nächste[nrs]?|diese[ns]|"
    r"hier|dernière?|prochaine?|cette|hoy|ayer|pasad[oa]|próxim[oa]|este|esta)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class DateCheck:
    """Checks the days and years of a sentence against its sources."""

    pages: Mapping[int, CitedPage]
    today: str

    def find_strange(
        self,
        text: str,
        cited: Sequence[Citation],
        quotes: Sequence[Sequence[Quantity]],
        context: str,
        years: Set[str],
    ) -> Iterator[Reason]:
        """Yield the days and years of a sentence that occur neither in the evidence nor near it."""
        dates, rest = parse_dates(normalize(text))
        for day in self._find_strange_days(dates, cited, quotes, context):
            yield Reason(code="date-missing", params={"shown": day})
        told = {date.parts for c in cited for date, _ in self.pages[c.source].opening_days}
        claimed = [figure.year for figure in parse_figures(rest)]
        claimed += [date.year for date in dates if date.parts not in told]
        is_unread = any(has_unread_numbers(citation.quote) for citation in cited)
        for year in dict.fromkeys(claimed):
            if YEAR.fullmatch(year) and year not in years and not is_unread:
                yield Reason(code="year-missing", params={"shown": year})

    def _find_strange_days(
        self,
        dates: Sequence[Date],
        cited: Sequence[Citation],
        quotes: Sequence[Sequence[Quantity]],
        context: str,
    ) -> Iterator[str]:
        """Yield dates with a day that are missing near the quotes, in the pages' openings and in the context.

        Yield nothing if a quote has a relative date such as "yesterday": the day may follow from the
        page's date.
        """
        days = [date for date in dates if date.is_day]
        if not days or any(_RELATIVE_DATE.search(citation.quote) for citation in cited):
            return
        # A table row's day is in the table's header.
        reaches = [
            HEADER_REACH if any(q.is_tabular for q in quote) else _AROUND for quote in quotes
        ]
        around = (
            self.pages[c.source].snapshot.text[max(c.start - reach, 0) : c.end + _AROUND]
            for c, reach in zip(cited, reaches, strict=False)
        )
        seen, _ = parse_dates("\n".join([context, self.today, *map(normalize, around)]))
        seen += (date for c in cited for date, _ in self.pages[c.source].opening_days)
        for date in days:
            if not any(date.day <= reading for other in seen for reading in other.readings):
                yield date.shown

    def is_to_come(self, strange: Reason) -> bool:
        """Return whether a date without evidence is of this year or later: no source can have it."""
        text = str(strange.params["shown"])
        dates, rest = parse_dates(text)
        years = [*YEAR.findall(rest), *(date.year for date in dates)]
        return bool(self.today) and all(year >= self.today[:4] for year in years if year)

    def list_known_years(
        self,
        cited: Sequence[Citation],
        quotes: Sequence[Sequence[Quantity]],
        context: str,
    ) -> set[str]:
        """Return the years that a sentence or its expression may use: of quotes, their pages and today.

        A quote that is cut from a row or sentence with a single year has that year, too: the judge sees the whole.
        """
        shown = [context, *(normalize(c.quote) for c in cited)]
        years = {year for text in shown for year in (*YEAR.findall(text), *_spell_years(text))}
        wholes = (self.pages[c.source].find_whole(c.start, c.end) for c in cited)
        cut = ({*YEAR.findall(normalize(whole))} for whole in wholes)
        years.update(year for named in cut if len(named) == 1 for year in named)
        dated = {year for c in cited for year in YEAR.findall(self.pages[c.source].published)}
        return {*years, *dated, *YEAR.findall(self.today[:4]), *self._list_years(cited, quotes)}

    def _list_years(
        self, cited: Sequence[Citation], quotes: Sequence[Sequence[Quantity]]
    ) -> Iterator[str]:
        """Yield the years that a page gives a quote from afar: its table's, and those by its date."""
        for citation, quantities in zip(cited, quotes, strict=False):
            page = self.pages[citation.source]
            if any(quantity.is_tabular for quantity in quantities):
                yield from page.years
            if _RELATIVE_DATE.search(citation.quote) or not YEAR.search(citation.quote):
                for year in YEAR.findall(page.published):
                    yield from (str(int(year) + n) for n in (-1, 0, 1))


def _spell_years(text: str) -> Iterator[str]:
    """Yield the years that a normal text has in few digits: the second of 2019-20, that of FY24, the last of the 1990s."""
    yield from (date.year for date in parse_dates(text)[0] if date.year)
    for match in _SHORT_YEAR.finditer(text):
        if match["short"]:
            yield complete_year(match["short"])
        elif match["decade"]:
            yield f"{match['decade'][:3]}9"
        elif (int(match["first"]) + 1) % 100 == int(match["next"]):
            yield str(int(match["first"]) + 1)
