"""Lists the figures and days of an uncited text that none of its known sources mention."""

from collections.abc import Iterable
from functools import cached_property

from contracts.words import Language, say
from domain.evidence.figures.dates import parse_dates
from domain.evidence.figures.figure_agreement import is_quoted
from domain.evidence.figures.quantities import Quantity, read_claimed, read_quantities
from domain.evidence.normal_forms import normalize


class KnownFigures:
    """The figures and days that known texts mention, parsed once, and only when a text with a figure is compared.

    Workflow code compares dozens of lines with all sentences of a report; parsing the sentences for each line would take seconds.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)

    def list_unfounded(self, text: str) -> list[str]:
        """Return the figures and days of a text, as written, that no known text mentions."""
        said, rest = parse_dates(normalize(text))
        claimed = read_claimed(rest)
        new = [day.shown for day in said if not any(day.parts <= known for known in self._days)]
        new += [each.shown for each in claimed if not is_quoted(each, self._quantities)]
        return list(dict.fromkeys(new))

    def name_unfounded(self, text: str, language: Language) -> str:
        """Return an uncited text that names those of its figures and days that no known text mentions."""
        marked = (
            say(language, "figures-unfounded", line=line, figures=new)
            if (new := self.list_unfounded(line))
            else line
            for line in text.splitlines()
        )
        return "\n".join(marked)

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
