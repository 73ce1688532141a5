"""The statements in an answer of whatever schema: objects that say where they stand."""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from contracts.base import Json
from contracts.evidence.sources import Citation, Claim
from contracts.report.research import Finding

CITATIONS = "citations"
"""The field in which an object lists its quotes; one alone may stand in it as it is."""


def statement(value: Json) -> Claim | None:
    """Return an object that cites, or could, as one statement; None of any other."""
    citations = list(_citations(value))
    if not citations and not isinstance(value.get(CITATIONS), list):
        return None
    own = value.get("text") or value.get("claim") or value.get("statement")
    text = own if isinstance(own, str) else ", ".join(texts(_rest(value)))
    name = value.get("name")
    named = isinstance(name, str) and name.casefold() not in text.casefold()
    return Claim(text=f"{name}: {text}" if named else text, citations=citations)


def stated(value: JsonValue) -> Iterator[Claim]:
    """Yield every statement in a value, in reading order."""
    if isinstance(value, list):
        for item in value:
            yield from stated(item)
    elif isinstance(value, dict):
        if claim := statement(value):
            yield claim
        else:
            yield from stated(list(value.values()))


def marked(value: JsonValue, checked: Iterator[Claim]) -> JsonValue:
    """Return a value whose statements carry their verdicts and no quote that was not found."""
    if isinstance(value, list):
        return [marked(item, checked) for item in value]
    if not isinstance(value, dict):
        return value
    if not statement(value):
        return {name: marked(part, checked) for name, part in value.items()}
    claim = next(checked)
    said: Json = {"verdict": claim.verdict, "reason": claim.reason} if claim.verdict else {}
    kept: Json = {CITATIONS: [citation.model_dump() for citation in claim.citations]}
    kept |= {} if claim.citations else {"quote": ""}
    return {**value, **said, **{name: part for name, part in kept.items() if name in value}}


def renumbered(value: Json, numbers: Sequence[int]) -> Json:
    """Return a value that cites by other numbers: what was its source n is `numbers[n - 1]`."""
    moved = {name: _renumbered(part, numbers) for name, part in value.items()}
    source = value.get("source")
    if isinstance(source, int) and 0 < source <= len(numbers) and "quote" in value:
        moved["source"] = numbers[source - 1]
    return moved


def _renumbered(value: JsonValue, numbers: Sequence[int]) -> JsonValue:
    if isinstance(value, list):
        return [_renumbered(item, numbers) for item in value]
    return renumbered(value, numbers) if isinstance(value, dict) else value


def findings(claims: list[Claim]) -> list[Finding]:
    """Return every cited statement, once for each of its quotes."""
    return [
        Finding(text=claim.text, source=citation.source, quote=citation.quote)
        for claim in claims
        for citation in claim.citations
    ]


def texts(value: JsonValue) -> list[str]:
    """Return a value's texts and numbers."""
    items = value if isinstance(value, list) else [value]
    return [str(item) for item in items if isinstance(item, str | int | float) and str(item)]


def _rest(value: Json) -> list[JsonValue]:
    return [part for name, part in value.items() if name not in ("quote", "source", CITATIONS)]


def _citations(value: Json) -> Iterator[Citation]:
    listed = value.get(CITATIONS)
    for part in [value, *(listed if isinstance(listed, list) else [])]:
        if isinstance(part, dict):
            source, quote = part.get("source"), part.get("quote")
            if isinstance(source, int) and isinstance(quote, str):
                yield Citation(source=max(source, 1), quote=quote)
