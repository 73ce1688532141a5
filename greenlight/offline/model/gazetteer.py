"""Places: which countries a text names, and whether it names any place at all."""

import re
from functools import cache

from greenlight.offline.library.factbook import countries, plain

ALIASES = {
    "United States": ("US", "USA", "U.S.", "America", "United States of America"),
    "United Kingdom": ("UK", "U.K.", "Britain", "Great Britain", "England"),
    "United Arab Emirates": ("UAE",),
    "Turkey": ("Turkiye", "Türkiye"),
    "Czechia": ("Czech Republic",),
    "Netherlands": ("Holland",),
    "Cote d'Ivoire": ("Ivory Coast", "Côte d'Ivoire"),
    "South Korea": ("Korea",),
}
HOMONYMS = frozenset({"turkey", "jersey", "chad", "china", "guinea", "jordan", "georgia", "world"})
"""Names that mean something else where they are written small."""

WIDER = re.compile(
    r"\b(?:africa|asia|europe|americas?|oceania|australia|antarctica|eu|european union|emea|apac|"
    r"mena|asean|dach|nordics?|balkans?|baltics?|benelux|scandinavia|caribbean|middle east|"
    r"sub-saharan|maghreb|gulf states|latin america|worldwide|global(?:ly)?|international(?:ly)?|"
    r"all over the world|the world|nationwide|domestic(?:ally)?|(?:our|my|this|one) "
    r"(?:country|city|town|region|county|state|village|district))\b",
    re.IGNORECASE,
)

IN_A_NAME = re.compile(
    r"\bin (?:the )?(?!January|February|March|April|May|June|July|August|September|October|November|"
    r"December|Q\d)[A-Z][a-zà-ÿ]+"
)
"""`in` and a name: a place, whichever it is."""


@cache
def names() -> dict[str, str]:
    """Return every spelling of a country's name or people, and the name it stands for."""
    found: dict[str, str] = {}
    for country, data in countries().items():
        if country == "World" or "Ocean" in country:
            continue
        nationality = data.get("People and Society", {}).get("Nationality", {})
        adjective = plain(nationality.get("adjective", {}).get("text", ""))
        people = [adjective] if adjective[:1].isupper() and adjective.isalpha() else []
        for spelling in (country, *ALIASES.get(country, ()), *people):
            found.setdefault(spelling, country)
    return found


@cache
def capitals() -> frozenset[str]:
    """Return the capitals."""
    found = (data["Government"].get("Capital", {}) for data in countries().values())
    named = (plain(capital.get("name", {}).get("text", "")) for capital in found)
    return frozenset(re.split(r"[(;,]", name)[0].strip() for name in named if name)


@cache
def _pattern() -> re.Pattern[str]:
    exact = sorted(names(), key=len, reverse=True)
    small = [name for name in exact if len(name) > 4 and name.lower() not in HOMONYMS]
    either = "|".join(map(re.escape, exact)) + "|(?i:" + "|".join(map(re.escape, small)) + ")"
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)")


@cache
def _by_small_name() -> dict[str, str]:
    return {name.lower(): country for name, country in reversed(names().items())}


def named_at(text: str) -> list[tuple[int, int, str]]:
    """Return where a text names countries, and which."""
    return [
        (*match.span(), names().get(match[0]) or _by_small_name()[match[0].lower()])
        for match in _pattern().finditer(text)
    ]


def places(text: str) -> list[str]:
    """Return the countries that a text names, each once, in order."""
    return list(dict.fromkeys(country for _, _, country in named_at(text)))


def without_places(text: str) -> str:
    """Return a text with the names of countries blanked out."""
    return _pattern().sub(" / ", text)


def names_a_place(text: str) -> bool:
    """Tell whether a text says where: a country, a capital, a wider region."""
    capital = any(word_in(town, text) for town in capitals() if town in text)
    return bool(capital or places(text) or WIDER.search(text) or IN_A_NAME.search(text))


def word_in(name: str, text: str) -> bool:
    """Tell whether a name stands in a text as words of its own."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
