"""The claims in JSON of whatever schema: objects that cite."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args

from pydantic import JsonValue

from contracts.base import Json
from contracts.evidence.claims import Citation, Claim, Verdict

CITATIONS = "citations"
"""The field in which an object lists its quotes; a single one may stand in the object itself."""


def read_claim(value: Json) -> Claim | None:
    """Return an object that cites, or could, as one claim; None of any other."""
    if not (_is_citation(value) or isinstance(value.get(CITATIONS), list)):
        return None
    text = value.get("text") or value.get("claim") or value.get("statement")
    if not isinstance(text, str):
        aside = ("quote", "source", CITATIONS, "verdict", "reason")
        others = [part for name, part in value.items() if name not in aside]
        text = ", ".join(list_texts(others))
    places = ("source", "start", "end")
    listed = value.get(CITATIONS)
    cited = [value, *(listed if isinstance(listed, list) else [])]
    name = value.get("name")
    named = isinstance(name, str) and name.casefold() not in text.casefold()
    verdict: Any = value.get("verdict")
    reason = value.get("reason")
    return Claim(
        text=f"{name}: {text}" if named else text,
        citations=[
            Citation.model_validate(
                {
                    n: v
                    for n, v in part.items()
                    if n == "quote" or (n in places and isinstance(v, int))
                }
            )
            for part in cited
            if isinstance(part, dict) and _is_citation(part) and part["quote"]
        ],
        verdict=verdict if verdict in get_args(Verdict) else None,
        reason=reason if isinstance(reason, str) else "",
    )


def find_claims(value: JsonValue) -> Iterator[Claim]:
    """Yield every claim in a value, in reading order."""
    if isinstance(value, list):
        for item in value:
            yield from find_claims(item)
    elif isinstance(value, dict):
        if claim := read_claim(value):
            yield claim
        else:
            yield from find_claims(list(value.values()))


def map_claims(value: JsonValue, verify: Callable[[Claim], Claim]) -> JsonValue:
    """Return a value whose claims carry their verdicts and no quote that was not located."""
    if isinstance(value, list):
        return [map_claims(item, verify) for item in value]
    if not isinstance(value, dict):
        return value
    said = read_claim(value)
    if said is None:
        return {name: map_claims(part, verify) for name, part in value.items()}
    claim = verify(said)
    marks: Json = {"verdict": claim.verdict, "reason": claim.reason}
    cited: Json = {CITATIONS: [citation.model_dump() for citation in claim.citations]}
    cited |= {} if claim.citations else {"quote": ""}
    return value | marks | {name: part for name, part in cited.items() if name in value}


def renumber_sources(value: Json, numbers: Sequence[int]) -> Json:
    """Return a value that cites by other numbers: its source n becomes `numbers[n - 1]`."""
    moved = {name: _renumber(part, numbers) for name, part in value.items()}
    source = value.get("source")
    if isinstance(source, int) and 0 < source <= len(numbers) and "quote" in value:
        moved["source"] = numbers[source - 1]
    return moved


def _renumber(value: JsonValue, numbers: Sequence[int]) -> JsonValue:
    if isinstance(value, list):
        return [_renumber(item, numbers) for item in value]
    return renumber_sources(value, numbers) if isinstance(value, dict) else value


def list_texts(value: JsonValue) -> list[str]:
    """Return a value's list_texts and numbers."""
    items = value if isinstance(value, list) else [value]
    return [str(item) for item in items if isinstance(item, str | int | float) and str(item)]


def _is_citation(value: Json) -> bool:
    return isinstance(value.get("source"), int) and isinstance(value.get("quote"), str)
