"""The claims in JSON of any schema: objects that cite."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, get_args

from pydantic import JsonValue, TypeAdapter, ValidationError

from contracts.base import Json
from contracts.evidence.claims import Citation, Claim, Premise, QuotedFigure, Verdict
from contracts.evidence.reasons import Reason
from domain.evidence.figures.notation.quantities import YEAR

CITATIONS = "citations"
"""The field that lists an object's quotes; a single quote may be in the object itself."""

TEXTS = ("text", "claim", "statement")
"""Fields that may hold a claim's sentence, in order of preference."""

FRAMES = ("row", "column", "label", "name")
"""Sibling fields that a claim needs to be understood: a cell's row and column."""

PLACES = (*FRAMES, "heading", "section")
"""Fields that name the subject of the claims next to them."""

CODE_FILLS = ("verdict", "reason", "doubts", "working")
"""The fields that verification overwrites."""

_DOUBTS = TypeAdapter(list[Reason])

_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")

LEFT_OUT: Json = {"left": "out"}
"""Replaces a claim that is removed from its list; a claim outside a list is kept."""


def read_claim(value: Json) -> Claim | None:
    """Read an object as a claim if it cites sources or rests on claims; return None for other objects."""
    listing = (isinstance(value.get(name), list) for name in (CITATIONS, "rests_on"))
    if not (_is_citation(value) or any(listing)):
        return None
    text = next((value[name] for name in TEXTS if value.get(name)), None)
    if not isinstance(text, str):
        aside = ("quote", "source", CITATIONS, "rests_on", "figures", "id", *CODE_FILLS)
        others = [part for name, part in value.items() if name not in aside]
        text = ", ".join(list_texts(others))
    places = ("source", "start", "end", "page")
    listed = value.get(CITATIONS)
    cited = [value, *(listed if isinstance(listed, list) else [])]
    name = value.get("name")
    named = isinstance(name, str) and name.casefold() not in text.casefold()
    verdict: Any = value.get("verdict")
    said = {key: value.get(key) for key in ("expression", "id", "reason", "working")}
    return Claim(
        text=f"{name}: {text}" if named else text,
        rests_on=list_texts(value.get("rests_on") or []),
        repeats=value.get("repeats") is True,
        assumed=value.get("assumed") is True,
        not_found=value.get("not_found") is True,
        gaps=_list_lines(value.get("gaps")),
        opens=value.get("opens") is True,
        advises=value.get("advises") is True,
        citations=[
            Citation.model_validate(
                {
                    n: v
                    for n, v in part.items()
                    if n == "quote" or (n in places and isinstance(v, int))
                }
                | {"above": list_texts(part.get("above") or [])}
            )
            for part in cited
            if isinstance(part, dict) and _is_citation(part) and part["quote"]
        ],
        verdict=verdict if verdict in get_args(Verdict) else None,
        doubts=_read_doubts(value.get("doubts")),
        figures=_read_figures(value.get("figures")),
        **{key: part for key, part in said.items() if isinstance(part, str)},  # type: ignore[arg-type]
    )


def _read_figures(value: JsonValue) -> list[QuotedFigure]:
    """Return the figures that an object says are quoted; another schema may mean something else by the field."""
    found = []
    for item in value if isinstance(value, list) else []:
        with suppress(ValidationError):
            found.append(QuotedFigure.model_validate(item))
    return found


def _list_lines(value: JsonValue) -> list[str]:
    """Return the numbers or lines of a list as texts; nothing for anything else."""
    return [str(one) for one in value if isinstance(one, int | str)] if isinstance(value, list) else []  # fmt: skip


def _read_doubts(value: JsonValue) -> list[Reason]:
    """Return the reasons written by verification, or an empty list if a model wrote something else."""
    try:
        return _DOUBTS.validate_python(value)
    except ValidationError:
        return []


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


def list_places(value: JsonValue, about: str = "", fields: Sequence[str] = PLACES) -> Iterator[str]:
    """Yield the sibling fields of each claim (a cell's row and column), in the order of `find_claims`."""
    if isinstance(value, list):
        for item in value:
            yield from list_places(item, about, fields)
    elif isinstance(value, dict):
        if read_claim(value):
            yield about
            return
        labels = [str(v) for n in fields if isinstance(v := value.get(n), str | int | float) and v]
        place = ", ".join([about, *labels] if about else labels)
        cells, columns = value.get("rows"), value.get("columns")
        if isinstance(cells, list) and isinstance(columns, list):
            yield from _list_cell_places(cells, list_texts(columns), fields)
        else:
            for part in value.values():
                yield from list_places(part, place, fields)


def _list_cell_places(
    rows: list[JsonValue], columns: list[str], fields: Sequence[str]
) -> Iterator[str]:
    for row in rows:
        cells = row.get("cells") if isinstance(row, dict) else None
        for n, cell in enumerate(cells if isinstance(cells, list) else []):
            label = row.get("label", "") if isinstance(row, dict) else ""
            named = {"row": str(label), "column": columns[n] if n < len(columns) else ""}
            place = ", ".join(named[name] for name in named if name in fields)
            yield from list_places(cell, place, fields)


def map_claims(value: JsonValue, verify: Callable[[Claim], Claim]) -> JsonValue:
    """Return a value whose claims have verdicts and only located quotes."""

    def mark(said: Json, claim: Claim) -> Json:
        claim = verify(claim)
        marks: Json = claim.model_dump(mode="json", include={*CODE_FILLS})
        cited: Json = {CITATIONS: [citation.model_dump() for citation in claim.citations]}
        cited |= {} if claim.citations else {"quote": ""}
        cited |= {"figures": [figure.model_dump() for figure in claim.figures]}
        marks |= {"assumed": True} if claim.assumed else {}
        return said | marks | {name: part for name, part in cited.items() if name in said}

    return replace_claims(value, mark)


def replace_claims(value: JsonValue, replace: Callable[[Json, Claim], JsonValue]) -> JsonValue:
    """Return a value with others in the place of its claims, in reading order; the rest is as it was."""
    if isinstance(value, list):
        items = [replace_claims(item, replace) for item in value]
        return [item for item in items if item is not LEFT_OUT]
    if not isinstance(value, dict):
        return value
    if claim := read_claim(value):
        return replace(value, claim)
    parts = {name: replace_claims(part, replace) for name, part in value.items()}
    return {name: value[name] if part is LEFT_OUT else part for name, part in parts.items()}


def number_shared_ids(value: JsonValue) -> JsonValue:
    """Number ids that several sentences share, so that each id names one sentence."""
    sharing: dict[str, dict[str, None]] = {}
    for claim in find_claims(value):
        if claim.id:
            sharing.setdefault(claim.id, {})[claim.text] = None
    names: dict[tuple[str, str], str] = {}
    for name, texts in sharing.items():
        free = (new for n in count(1) if (new := f"{name}-{n}") not in sharing)
        if len(texts) > 1:
            names |= {(name, text): next(free) for text in texts}

    def number(said: Json, claim: Claim) -> Json:
        name = names.get((claim.id, claim.text))
        return said | {"id": name} if name else said

    return replace_claims(value, number)


def rewrite_claim(said: Json, claim: Claim) -> Json:
    """Return a claim's object with another claim's sentence and evidence; the id stays."""
    place = next((name for name in TEXTS if said.get(name)), "")
    told: Json = {place: claim.text} if isinstance(said.get(place), str) else {}
    quotes: list[Json] = [{"source": c.source, "quote": c.quote} for c in claim.citations]
    if isinstance(said.get(CITATIONS), list) or not _is_citation(said):
        told |= {CITATIONS: [*quotes]}
    elif quotes:
        told |= quotes[0]
    figures: list[Json] = [figure.model_dump() for figure in claim.figures]
    grounds: Json = {"expression": claim.expression, "rests_on": [*claim.rests_on]}
    grounds |= claim.model_dump(include={"repeats", "assumed", "not_found"})
    grounds |= {"figures": [*figures]}
    return said | told | {name: part for name, part in grounds.items() if part or name in said}


def digest_claims(
    value: JsonValue, located: Sequence[Claim], known: Mapping[str, Premise]
) -> list[str]:
    """Return a digest of each claim: equal claims have the same text, cell, passages and premises.

    `located` are the value's claims with located quotes; `known` are further premises by id.
    """
    named = {**known, **{claim.id: claim.as_premise for claim in located if claim.id}}
    digests = []
    for claim, frame in zip(located, list_places(value, fields=FRAMES), strict=True):
        said = claim.model_dump(exclude={"id", "rests_on", "figures", *CODE_FILLS})
        bases = [
            name in named and named[name].model_dump(exclude={"is_supported"})
            for name in claim.rests_on
        ]
        whole = json.dumps([frame, said, bases]).encode()
        digests.append(hashlib.sha256(whole).hexdigest()[:16])
    return digests


def find_numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text as they are written."""
    return frozenset(_NUMBER.findall(text))


def list_figures(text: str) -> set[str]:
    """Return the numbers of a text but for its years."""
    return {number for number in find_numbers(text) if not YEAR.fullmatch(number)}


def name_claims(value: JsonValue) -> JsonValue:
    """Give each claim without an id a number, so that others may rest on it."""
    value = number_shared_ids(value)
    taken = {claim.id for claim in find_claims(value)}
    free = (name for n in count(1) if (name := f"s{n}") not in taken)
    return replace_claims(value, lambda said, claim: said | {"id": claim.id or next(free)})


def list_by_id(value: JsonValue) -> dict[str, Claim]:
    """Return the claims of a value on which others may rest, by their ids."""
    return {claim.id: claim for claim in find_claims(value) if claim.id and claim.is_usable}


def leave_out_grounds(value: JsonValue) -> JsonValue:
    """Reduce each claim to its id, its sentence, and what verification found wrong."""
    doubts = ("verdict", "reason")

    def strip(said: Json, claim: Claim) -> Json:
        told = {name: said[name] for name in doubts if said.get("verdict") and name in said}
        return {"id": claim.id, "text": claim.text} | told

    return replace_claims(value, strip)


def needs_pages(claim: Claim) -> bool:
    """Return whether a claim holds unless some page says otherwise, so that its judge has to see what the pages say."""
    return claim.kind == "assumed" or claim.not_found


def list_told(claims: Iterable[Claim]) -> list[str]:
    """Return what claims say and quote, but for those that did not hold."""
    usable = [claim for claim in claims if claim.is_usable]
    quotes = (citation.quote for claim in usable for citation in claim.citations)
    return [*dict.fromkeys([*(claim.text for claim in usable), *quotes])]


def leave_out_marks(value: JsonValue) -> JsonValue:
    """Return claims as models wrote them, with what verification found wrong.

    Contradicted claims are removed, so that no reader takes them for findings.
    """

    def strip(said: Json, _: Claim) -> Json:
        if said.get("verdict") == "contradicted":
            return LEFT_OUT
        usual = {"verdict": "supported"} | {n: said.get(n) for n in ("doubts", "working")}
        kept: Json = {
            n: v for n, v in said.items() if v not in ("", [], None) and usual.get(n) != v
        }
        cited = kept.get(CITATIONS)
        parts: JsonValue = [
            {n: v for n, v in part.items() if n not in ("start", "end", "above") and v is not None}
            for part in (cited if isinstance(cited, list) else [])
            if isinstance(part, dict)
        ]
        return kept | ({CITATIONS: parts} if parts else {})

    return replace_claims(value, strip)


def list_all_citations(change: Json) -> Json:
    """Add an empty citation list to sentences and cells of a change that have none.

    Without the list such an object is not a claim, and would not be checked.
    """

    def list_none(said: JsonValue) -> JsonValue:
        return {CITATIONS: [], **said} if isinstance(said, dict) else said

    def list_of_cell(cell: JsonValue) -> JsonValue:
        if not isinstance(cell, dict) or "claim" not in cell:
            return cell
        return {**cell, "claim": list_none(cell["claim"])}

    read = {"add": list_none, "figures": list_of_cell}
    return {
        name: [*map(read[name], part)] if name in read and isinstance(part, list) else part
        for name, part in change.items()
    }


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
    """Return a value's texts and numbers."""
    items = value if isinstance(value, list) else [value]
    return [str(item) for item in items if isinstance(item, str | int | float) and str(item)]


def _is_citation(value: Json) -> bool:
    return isinstance(value.get("source"), int) and isinstance(value.get("quote"), str)
