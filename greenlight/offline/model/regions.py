"""Regions of the world: how texts name them, and their countries as the country data places them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from greenlight.offline.library.factbook import Section, countries, plain
from greenlight.offline.model.gazetteer import named_at

MOST = 5
"""How many countries stand for a region, those with the most people first."""
FEWEST = 2

_LISTED = {
    "the Baltic states": ("Baltics?|Baltic (?:states|countries)", "Estonia|Latvia|Lithuania"),
    "the Benelux": ("Benelux", "Belgium|Netherlands|Luxembourg"),
    "the DACH region": ("DACH", "Germany|Austria|Switzerland"),
    "the Maghreb": ("Maghreb", "Algeria|Morocco|Tunisia|Libya|Mauritania"),
    "the Nordics": ("Nordics?|Nordic countries", "Sweden|Denmark|Finland|Norway|Iceland"),
    "Scandinavia": ("Scandinavian?", "Sweden|Denmark|Norway"),
    "the Horn of Africa": ("Horn of Africa", "Ethiopia|Somalia|Eritrea|Djibouti"),
    "the Sahel": ("Sahel", "Niger|Mali|Burkina Faso|Chad|Mauritania"),
    "the Caucasus": ("(?:South )?Caucasus", "Azerbaijan|Georgia|Armenia"),
}
"""Regions that the data does not draw, country by country."""
_MEMBERS = {
    "the European Union": ("EU|European Union|E\\.U\\.", "EU"),
    "the GCC": ("GCC|Gulf states|Gulf countries|Gulf Cooperation Council", "GCC"),
    "ASEAN": ("ASEAN", "ASEAN"),
    "Mercosur": ("Mercosur|Mercosul", "Mercosur"),
    "the East African Community": ("EAC|East African Community", "EAC"),
    "ECOWAS": ("ECOWAS", "ECOWAS"),
    "the SADC": ("SADC", "SADC"),
}
"""Unions, and the mark by which the data names their members."""
_SOUTH = "South America|Central America and the Caribbean|Mexico"
_PLACED = {
    "Sub-Saharan Africa": ("Sub-?[Ss]aharan(?: Africa)?", "Africa", "Northern Africa"),
    "Latin America": ("(?:Latin American?|LatAm|LATAM)", _SOUTH, ""),
    "the Middle East and North Africa": ("MENA", "Middle East|Northern Africa", ""),
    "the Middle East": ("Middle East(?:ern)?", "Middle East", ""),
    "the Caribbean": ("Caribbean", "^Caribbean", ""),
    "Central America": ("Central American?", "^Central America", ""),
    "the Balkans": ("(?:Western )?Balkans?", "^Southeastern Europe /", ""),
    "Oceania": ("Oceania|South Pacific", "Oceania", ""),
    "Southeast Asia": ("South-?[Ee]ast(?:ern)? Asian?", "Southeastern Asia", ""),
    "Asia and the Pacific": ("APAC|Asia[- ]Pacific", "Asia|Oceania", ""),
    "Europe, the Middle East and Africa": ("EMEA", "/ .*(?:Europe|Middle East|Africa)", ""),
}
"""Regions by where the data says that a country lies, and where not."""
SIDED = re.compile(
    r"(?<![\w-])(?!South African?(?!\w))(?P<side>north|south|east|west|central)(?P<ern>ern)?"
    r"[- ](?P<land>africa|asia|europe|america)(?:n|an)?(?!\w)",
    re.IGNORECASE,
)
"""A side of a continent; `South Africa` is a country."""
LAND = re.compile(
    r"(?<![\w-])(?<!south )(?P<land>africa|asia|europe)(?:n|an)?(?!\w)", re.IGNORECASE
)
_IN = {"Asia": "Asia|Middle East"}
_LEFT = {"EU": ("United Kingdom",)}
"""Who left a union after the data was written."""


@dataclass(frozen=True)
class Region:
    """A region that a text names: where it does so, and its countries."""

    name: str
    start: int
    end: int
    countries: tuple[str, ...]


def regions(text: str) -> list[Region]:
    """Return the regions that a text names, in order; of two that overlap the longer."""
    owned = [(start, end) for start, end, _ in named_at(text)]
    kept: list[Region] = []
    for region in sorted(_named(text), key=lambda r: (r.start - r.end, r.start)):
        is_country = any(start <= region.start and region.end <= end for start, end in owned)
        if not is_country and all(r.end <= region.start or region.end <= r.start for r in kept):
            kept.append(region)
    return sorted(kept, key=lambda region: region.start)


def meant(text: str) -> list[str]:
    """Return the countries that a text means: those it names, and the largest of its regions'."""
    found = regions(text)
    named = [
        country
        for start, end, country in named_at(text)
        if not any(r.start <= start and end <= r.end for r in found)
    ]
    open_ones = [region for region in found if not set(named) & set(region.countries)]
    return list(dict.fromkeys([*named, *most_populous(open_ones)]))


def most_populous(named: list[Region]) -> list[str]:
    """Return the countries that stand for regions, fewer of each where there are several."""
    each = max(FEWEST, (MOST + 1) // len(named)) if len(named) > 1 else MOST
    return [name for region in named for name in region.countries[:each]]


def without_regions(text: str) -> str:
    """Return a text with the names of regions blanked out."""
    for region in reversed(regions(text)):
        text = f"{text[: region.start]} / {text[region.end :]}"
    return text


def _named(text: str) -> Iterator[Region]:
    for name, pattern, members in _table():
        for match in pattern.finditer(text):
            yield Region(name, match.start(), match.end(), members)
    for match in SIDED.finditer(text):
        side, land = match["side"].lower(), match["land"].title()
        name = f"{side.title()}{(match['ern'] or '').lower()} {land}"
        yield Region(name, match.start(), match.end(), _on_side(side, land))
    for match in LAND.finditer(text):
        land = match["land"].title()
        members = _placed(f"/ .*(?:{_IN.get(land, land)})")
        yield Region(land, match.start(), match.end(), members)


@cache
def _table() -> tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...]:
    placed = ((name, said, _placed(at, off)) for name, (said, at, off) in _PLACED.items())
    listed = ((name, said, tuple(names.split("|"))) for name, (said, names) in _LISTED.items())
    joined = ((name, said, _members(mark)) for name, (said, mark) in _MEMBERS.items())
    every = [(name, f"(?i:{said})", who) for name, said, who in (*placed, *listed)]
    return tuple(
        (name, re.compile(rf"(?<![\w-])(?:{said})(?!\w)"), who)
        for name, said, who in (*every, *joined)
    )


@cache
def _peopled() -> tuple[tuple[str, dict[str, Section]], ...]:
    """Return the countries that people live in, those with the most people first."""
    counts = {name: _population(data) for name, data in countries().items() if name != "World"}
    order = sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])
    return tuple((name, countries()[name]) for name in order if "Union" not in name)


def _population(data: dict[str, Section]) -> int:
    told = _text(data, "People and Society", "Population", "total")
    found = re.match(r"[\d,]+", told)
    return int(found[0].replace(",", "")) if found else 0


def _text(data: dict[str, Section], theme: str, field: str, part: str = "text") -> str:
    entry = data.get(theme, {}).get(field, {}).get(part, {})
    return plain(entry if isinstance(entry, str) else entry.get("text", ""))


def _where(data: dict[str, Section]) -> str:
    """Return in which parts of the world a country's main part lies."""
    location = _text(data, "Geography", "Location").removeprefix("metropolitan France: ")
    location = re.split(r"[,;(]| bordering", location)[0].strip()
    reference = _text(data, "Geography", "Map references").removeprefix("metropolitan France: ")
    return f"{location} / {reference.split(' French Guiana')[0]}"


def _members(mark: str) -> tuple[str, ...]:
    field = "International organization participation"
    of = {name: _text(data, "Government", field) for name, data in _peopled()}
    listed = {name: re.split(r",\s*", text) for name, text in of.items()}
    left = _LEFT.get(mark, ())
    return tuple(name for name, marks in listed.items() if mark in marks and name not in left)


def _placed(at: str, off: str = "") -> tuple[str, ...]:
    inside, outside = re.compile(at), re.compile(off or "(?!)")
    where = {name: (_where(data), name) for name, data in _peopled()}
    return tuple(
        name
        for name, (place, own) in where.items()
        if (inside.search(place) or inside.fullmatch(own)) and not outside.search(place)
    )


@cache
def _on_side(side: str, land: str) -> tuple[str, ...]:
    """Return the countries on one side of a continent, or in the part that the maps call so."""
    whole = f"{side.title()} {land}"
    if mapped := _placed(rf"/ (?:{whole})(?!\w)"):
        return mapped
    return _placed(rf"(?i:(?<![\w-]){side}(?:ern)?(?:-central)?) {land}")
