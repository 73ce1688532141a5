"""What the items of a list ask for: which property takes which part of a passage."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

QUOTES = ("quote", "excerpt", "passage", "evidence")
SOURCES = ("source", "source_id", "source_number", "reference")
RESTATED = ("text", "claim", "statement", "finding", "fact", "sentence", "description", "summary")
FIGURES = ("value", "figure", "amount", "number", "size")
YEARS = ("year", "date", "period", "as_of")
NAMES = ("name", "label", "title", "who", "what", "metric")


@dataclass(frozen=True)
class Asked:
    """What a list's items ask for: which property takes which part of a passage."""

    name: str
    properties: dict[str, Any]

    @cached_property
    def quotes(self) -> list[str]:
        """The properties that take the passage to the letter."""
        return self._texts(QUOTES)

    @cached_property
    def cites(self) -> str:
        """The property that takes a list of quotes, if one does."""
        return next((name for name in self.properties if self._is_cited(name)), "")

    @property
    def wants_quotes(self) -> bool:
        """Whether each item must show where it stands."""
        return bool(self.quotes or self.cites)

    @property
    def wants_figure(self) -> bool:
        """Whether each item must have a figure."""
        return any(name in self.properties for name in FIGURES)

    def _is_cited(self, name: str) -> bool:
        """Tell whether a property lists quotes and nothing but where they stand."""
        if not is_list(self.properties[name]):
            return False
        inner = asked_of(name, self.properties[name]["items"])
        return bool(inner.quotes) and inner.properties.keys() <= {*QUOTES, *SOURCES}

    def _texts(self, names: tuple[str, ...]) -> list[str]:
        return [n for n in names if self.properties.get(n, {}).get("type") == "string"]

    def filled(self, told: dict[str, Any]) -> dict[str, Any]:
        """Return what is told under the names that ask for it; other texts stay within it."""
        made = {name: told[part] for part, names in PARTS for name in self._texts(names)}
        rest = [n for n, p in self.properties.items() if p.get("type") == "string"]
        return {**dict.fromkeys(rest, told["text"]), **made}

    def restated(self, text: str) -> dict[str, str]:
        """Return a text under the names that ask for a passage in other words."""
        return dict.fromkeys(self._texts(RESTATED), text)


PARTS = (
    ("text", RESTATED),
    ("name", NAMES),
    ("year", YEARS),
    ("value", FIGURES),
    ("title", SOURCES),
    ("quote", QUOTES),
)


def asked_of(name: str, items: dict[str, Any]) -> Asked:
    """Return what the items of a list ask for."""
    given = items.get("properties")
    properties = dict(given) if isinstance(given, dict) else {}
    for inner in [part.get("properties") for part in properties.values() if isinstance(part, dict)]:
        if isinstance(inner, dict) and is_list(inner.get("citations")):
            properties |= {"text": {"type": "string"}, **inner["citations"]["items"]["properties"]}
    return Asked(name, {k: part for k, part in properties.items() if isinstance(part, dict)})


def asked_in(properties: Any) -> list[Asked]:
    """Return the lists among the properties of an object that ask for quotes."""
    parts = properties.items() if isinstance(properties, dict) else ()
    every = (asked_of(name, part["items"]) for name, part in parts if is_list(part))
    return [asked for asked in every if asked.wants_quotes]


def is_list(part: Any) -> bool:
    """Tell whether a schema is of a list of objects."""
    items = part.get("items") if isinstance(part, dict) else None
    return isinstance(items, dict) and isinstance(items.get("properties"), dict)
