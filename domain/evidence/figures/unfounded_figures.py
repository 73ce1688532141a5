"""Lists the figures and days of an uncited text that none of its known sources mention."""

from collections.abc import Iterable, Sequence

from contracts.words import Language, say
from domain.evidence.figures.dates import parse_dates
from domain.evidence.figures.figure_agreement import is_quoted
from domain.evidence.figures.quantities import read_claimed, read_quantities
from domain.evidence.normal_forms import normalize


def list_unfounded(text: str, known: Iterable[str]) -> list[str]:
    """Return the figures and days of a text, as written, that none of the known texts mentions."""
    said, rest = parse_dates(normalize(text))
    others = [normalize(other) for other in known]
    days = [day.parts for other in others for day in parse_dates(other)[0]]
    told = [quantity for other in others for quantity in read_quantities(other)]
    new = [day.shown for day in said if not any(day.parts <= known_day for known_day in days)]
    new += [quantity.shown for quantity in read_claimed(rest) if not is_quoted(quantity, told)]
    return list(dict.fromkeys(new))


def name_unfounded(text: str, known: Sequence[str], language: Language) -> str:
    """Return an uncited text that names those of its figures and days that no known source has."""
    lines = text.splitlines()
    marked = (
        say(language, "figures-unfounded", line=line, figures=new)
        if (new := list_unfounded(line, known))
        else line
        for line in lines
    )
    return "\n".join(marked)
