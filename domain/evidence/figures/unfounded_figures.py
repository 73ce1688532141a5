"""Lists the figures and days of an uncited text that none of its known sources mention."""

import re
from collections.abc import Iterable
from functools import cached_property

from contracts.words import Language, say
from domain.evidence.figures.dates import parse_dates
from domain.evidence.figures.figure_agreement import is_quoted
from domain.evidence.figures.quantities import Quantity, read_claimed, read_quantities
from domain.evidence.normal_forms import normalize

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


class KnownFigures:
    """The figures and days that known texts mention, parsed once, and only when a text with a figure is compared.

    Workflow code compares dozens of lines with all sentences of a report; parsing the sentences for each line would take seconds.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)

    def list_unfounded(self, text: str, *, is_plan: bool = False) -> list[str]:
        """Return the figures and days of a text, as written, that no known text mentions."""
        said, rest = parse_dates(normalize(text))
        claimed = read_claimed(rest)
        days = [day for day in said if not (is_plan and self._is_ahead(day.shown))]
        new = [day.shown for day in days if not any(day.parts <= known for known in self._days)]
        new += [each.shown for each in claimed if not is_quoted(each, self._quantities)]
        return list(dict.fromkeys(new))

    def name_unfounded(self, text: str, language: Language, *, is_plan: bool = False) -> str:
        """Return an uncited text that names those of its figures and days that no known text mentions.

        Of a plan (`is_plan`), figures are of the writer's choosing, and days after all known years are not named.
        """
        code = "figures-chosen" if is_plan else "figures-unfounded"
        marked = (
            say(language, code, line=line, figures=new)
            if (new := self.list_unfounded(line, is_plan=is_plan))
            else line
            for line in text.splitlines()
        )
        return "\n".join(marked)

    def _is_ahead(self, day: str) -> bool:
        """Return whether a day's year is not before the newest year that a known text mentions."""
        years = _YEAR.findall(day)
        return bool(years) and max(years) >= self._newest_year

    @cached_property
    def _newest_year(self) -> str:
        return max(
            (year for text in self._normal_texts for year in _YEAR.findall(text)), default=""
        )

    @cached_property
    def _normal_texts(self) -> list[str]:
        return [normalize(text) for text in self._texts]

    @cached_property
    def _days(self) -> set[frozenset[str]]:
        return {day.parts for text in self._normal_texts for day in parse_dates(text)[0]}

    @cached_property
    def _quantities(self) -> list[Quantity]:
        found = (quantity for text in self._normal_texts for quantity in read_quantities(text))
        return list({quantity.shown: quantity for quantity in found}.values())
