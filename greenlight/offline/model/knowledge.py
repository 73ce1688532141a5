"""What is worth measuring: fields of knowledge, and the words that call for each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

from greenlight.offline.library.factbook import countries, facts
from greenlight.offline.text.passages import figures
from greenlight.offline.text.words import stem, stems, words

SAMPLED = 16


@dataclass(frozen=True)
class Field:
    """A field of knowledge with what one looks up in it."""

    name: str
    cues: str
    measures: str

    def called_for_by(self, wanted: set[str]) -> bool:
        """Tell whether one of the wanted stems is a cue."""
        return any(stem(cue) in wanted for cue in words(self.cues))


FIELDS = (
    Field("Agriculture and land", "agriculture farm crop food land soil livestock forest fishing harvest",
          "agricultural land, agricultural products, GDP by sector of origin agriculture"),
    Field("Energy", "electricity energy power grid fuel oil gas coal battery heating",
          "electricity access electrification, generating capacity, electricity generation sources"),
    Field("Digital use", "software internet app mobile online digital data cloud phone platform telecom "
          "computer robot algorithm intelligence ai",
          "internet users, mobile cellular subscriptions, broadband subscriptions"),
    Field("Health", "health hospital medicine medical clinic doctor patient drug disease",
          "health expenditure, physician density, hospital bed density, life expectancy"),
    Field("Education", "education school university student teacher learning training literacy",
          "education expenditure, literacy, school life expectancy"),
    Field("Transport", "transport vehicle car truck bus bike scooter road rail port airport shipping "
          "logistics delivery freight",
          "railways, airports, ports, merchant marine"),
    Field("Trade", "trade export import tariff supply commodity wholesale",
          "exports partners commodities, imports partners commodities, exchange rates"),
    Field("Work", "labor labour job hiring wage worker employment manufacturing factory outsourcing",
          "labor force, unemployment rate, youth unemployment"),
    Field("Environment", "water climate pollution waste emission carbon recycling drought",
          "renewable water resources, carbon dioxide emissions, water withdrawal"),
)  # fmt: skip
BASICS = (
    Field("Size of the market", "", "population, GDP official exchange rate, real GDP growth rate"),
    Field(
        "Ability to pay", "", "real GDP per capita, population below poverty line, inflation rate"
    ),
)


@cache
def labels() -> tuple[str, ...]:
    """Return what country data commonly gives a figure for."""
    spread = islice(countries().values(), 0, None, len(countries()) // SAMPLED)
    found = (label for data in spread for section in data.values() for label in figured(section))
    return tuple(dict.fromkeys(found))


def figured(section: dict[str, dict[str, object]]) -> Iterator[str]:
    """Yield the labels of a section that stand beside a figure, years left out."""
    for label, value in facts(section):
        if len(value) < 80 and figures(value):
            yield re.sub(r"\s*\b(?:19|20)\d\d\b", "", label)


def measured(topic: str) -> list[str]:
    """Return the labels that share a word with a topic, the closest first."""
    wanted = stems(topic)
    shared = {label: len(stems(label) & wanted) / len(stems(label) or {""}) for label in labels()}
    return sorted((label for label in labels() if shared[label]), key=lambda x: -shared[x])


def fields(topic: str) -> list[Field]:
    """Return the fields that a topic calls for, by its own words or by what is measured of it."""
    wanted = stems(topic)
    near = {s for label in measured(topic)[:3] for s in stems(label)}
    return [field for field in FIELDS if field.called_for_by(wanted | near)]
