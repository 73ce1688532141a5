"""What is worth looking up about a country: fields of knowledge, and the words that call for each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

from greenlight.offline.library.factbook import Section, countries, facts
from greenlight.offline.text.passages import figures
from greenlight.offline.text.words import stem, stems, telling_stems, words

SAMPLED = 16
CLOSE = 0.25
"""The share of a label's words that a topic must have."""


@dataclass(frozen=True)
class Field:
    """A field of knowledge, the words that call for it, and what one looks up in it."""

    name: str
    measures: tuple[str, ...]
    cues: str = ""
    of_market: str = ""
    """What it stands for in a market, in words of those who look for that."""

    @property
    def heading(self) -> str:
        """The field and its measures in a line."""
        return f"{self.name}: {', '.join(self.measures)}"

    @property
    def words(self) -> str:
        """The measures as words to search for, after what of the name they do not say."""
        said = " ".join(self.measures)
        fresh = [w.lower() for w in words(self.name) if stems(w) - stems(said)]
        return " ".join([*fresh, said])

    def called_for_by(self, wanted: set[str]) -> bool:
        """Tell whether one of the wanted stems is a cue."""
        return any(stem(cue) in wanted for cue in words(f"{self.name} {self.cues}"))


PEOPLE = Field("People", ("total population", "urban population"), "", "customer need")
MARKET = Field(
    "Size of the market", ("GDP at official exchange rate", "GDP growth rate"), "", "size large"
)
MEANS = Field(
    "Ability to pay",
    ("GDP per capita", "population below poverty line", "inflation rate"),
    "",
    "customer need buy",
)
FIELDS = (
    Field(
        "Agriculture",
        ("agricultural land", "agriculture in GDP by sector of origin", "agricultural products"),
        "crop farm farmer food land soil livestock forest fishing harvest",
    ),
    Field(
        "Energy",
        ("electricity access electrification", "electricity generating capacity"),
        "electricity power grid fuel oil gas coal battery heating",
    ),
    Field(
        "Digital use",
        ("internet users", "mobile cellular subscriptions", "broadband subscriptions"),
        "software internet app mobile online data cloud phone platform telecom computer robot "
        "algorithm intelligence ai e-commerce",
    ),
    Field(
        "Health",
        ("health expenditure", "physician density", "hospital bed density", "life expectancy"),
        "hospital medicine medical clinic doctor patient drug disease",
    ),
    Field(
        "Education",
        ("education expenditure", "literacy", "school life expectancy"),
        "school university student teacher learning training literacy",
    ),
    Field(
        "Transport",
        ("railways", "airports", "ports", "petroleum consumption"),
        "vehicle car truck bus bike scooter road rail port airport shipping logistics delivery",
    ),
    Field(
        "Trade",
        ("exports", "imports", "exchange rates"),
        "export import tariff commodity wholesale",
    ),
    Field(
        "Work",
        ("labor force", "unemployment rate", "youth unemployment rate"),
        "labor labour job hiring wage worker employment manufacturing factory outsourcing",
    ),
    Field(
        "Environment",
        ("renewable water resources", "carbon dioxide emissions", "water withdrawal"),
        "water climate pollution waste emission carbon recycling drought",
    ),
    Field(
        "Risk and stability",
        ("public debt", "inflation rate", "terrorist groups"),
        "security conflict politics stable",
    ),
    Field(
        "Cost and ease of entry",
        ("taxes and other revenues", "languages", "imports"),
        "tax regulation bureaucracy",
    ),
)

MARKET_FIELDS = (
    Field("Size and growth", ("market size", "growth rate")),
    Field("Customers", ("demand", "customer needs")),
    Field("Competition", ("competitors", "market share")),
    Field("Risks and rules", ("risks", "regulation")),
)
CHOICE_FIELDS = (
    Field("Cost", ("price", "running costs")),
    Field("Strengths", ("advantages", "quality")),
    Field("Drawbacks", ("disadvantages", "risks")),
)
ACTING = re.compile(
    r"\b(?:should|shall|worth|better|best|worse|cheaper|easier|safer|choose|pick|prefer|fits?|suits?|"
    r"versus|vs|enter|launch|invest|buy|sell|expand)\b",
    re.IGNORECASE,
)
"""What makes a question one of what to do or to choose."""
CHOOSING = re.compile(
    r"\b(?:or|versus|vs|better|best|worse|worth|cheaper|easier|safer|choose|pick|prefer|buy)\b"
    r"|\bcompare",
    re.IGNORECASE,
)
"""What makes a question one between things to have."""
OWN = re.compile(r"\b(?:our|ours|my|us|we)\b", re.IGNORECASE)
_BUSINESS = """
    b2b b2c business businesses company customer customers demand enter entering expand expanding
    industry invest investing launch launching market markets opportunities opportunity sales sell
    selling startup startups
"""
BUSINESS = frozenset(_BUSINESS.split())


def is_business(question: str) -> bool:
    """Tell whether a question asks about a market rather than for a choice."""
    return bool(BUSINESS & {word.lower() for word in words(question)})


def is_inquiry(question: str) -> bool:
    """Tell whether a question asks what is known: of what one has already, or of no choice."""
    if ACTING.search(question):
        return False
    return bool(OWN.search(question)) or not is_business(question)


def general_fields(question: str) -> tuple[Field, ...]:
    """Return what is looked up of anything but countries: as a market, as a choice, or no more."""
    if is_inquiry(question):
        return ()
    if is_business(question):
        return MARKET_FIELDS
    return CHOICE_FIELDS if CHOOSING.search(question) else ()


@cache
def labels() -> tuple[str, ...]:
    """Return what country data commonly gives a figure for."""
    spread = islice(countries().values(), 0, None, len(countries()) // SAMPLED)
    found = (label for data in spread for section in data.values() for label in figured(section))
    return tuple(dict.fromkeys(found))


def figured(section: Section) -> Iterator[str]:
    """Yield the labels of a section that stand beside a figure."""
    return (label for label, value in facts(section) if len(value) < 80 and figures(value))


def measured(topic: str) -> list[str]:
    """Return the labels that share a word with a topic, the closest first."""
    wanted = telling_stems(topic)
    shared = {label: len(stems(label) & wanted) / (len(stems(label)) or 1) for label in labels()}
    return sorted((x for x in shared if shared[x] >= CLOSE), key=lambda x: -shared[x])


def country_fields(topic: str, wishes: list[str]) -> list[Field]:
    """Return the fields that a topic and wishes call for, in words or by what is measured of them.

    What the user named comes first, what matters of any country last.
    """
    wanted, near = stems(topic), {s for label in measured(topic)[:3] for s in stems(label)}
    asked = {s for text in wishes for s in stems(text)}
    every = (*FIELDS, MARKET, MEANS, PEOPLE)
    named = [f for f in every if f.name in wishes or (f.cues and f.called_for_by(asked))]
    called = [f for f in FIELDS if f.called_for_by(wanted | near)]
    return list(dict.fromkeys([*named, *called, MARKET, MEANS, PEOPLE]))
