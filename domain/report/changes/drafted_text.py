"""The sentences of a drafted text, entered by their numbers: “#12” is the twelfth, “#12 Rents fell.” replaces it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile, zip_longest
from typing import Any

from pydantic import JsonValue

from contracts.agents.tool_definitions import UPDATE_REPORT
from contracts.base import Json
from contracts.evidence.claims import Claim, DraftPart
from contracts.models.call import ModelResult
from contracts.report.draft import DraftSentence, TextDraft
from contracts.report.report import Report
from domain.report.changes.patches import find_section

_NUMBERED = re.compile(r"#\s?(\d{1,4})(?:[.:]?\s+(\S.*)|\.?)", re.DOTALL)
_OF_THE_DRAFT = {"opens", "lead_chars"}
"""What the draft alone says of a sentence's bold words."""
_EVIDENCE = ("citations", "rests_on", "expression", "advises", "assumed", "not_found")
"""What says of a sentence what it rests on, or that it needs nothing."""
_BOLD = re.compile(r"\*\*([^*]{1,600})\*\*([:,;.]?)\s*")


def outline_draft(draft: TextDraft) -> Json:
    """Return the draft as its writer is shown it: sentences by number under their headings, and the table's cells."""
    sections: dict[str, Json] = {}
    table: dict[str, Json] = {}
    for number, sentence in enumerate(draft.sentences, start=1):
        if sentence.part:
            section = sections.setdefault(sentence.heading, {})
            if (label := sentence.part.label) and label not in section.values():
                section[f"above #{number}"] = label
            section[f"#{number}"] = sentence.text
        else:
            table.setdefault(sentence.row, {})[sentence.column] = f"#{number}"
    shown: Json = {"sections": {**sections}}
    return shown | ({"table": {**table}} if table else {})


def put_draft(
    written: ModelResult, draft: TextDraft, names: Mapping[str, str], shown: Report
) -> ModelResult:
    """Replace the draft numbers in a turn's report changes by the draft's sentences, and return the turn.

    A sentence gets an id from its draft number; `rests_on` may also use one that its writer gave it, in `names`. One that
    opens a paragraph that the report has already rests on that.
    """
    content = [
        block.model_copy(update={"input": _enter(block.input, draft, names, shown)})
        if block.name == UPDATE_REPORT
        else block
        for block in written.content
    ]
    return written.model_copy(update={"content": content})


def carry_new_openings(written: ModelResult, shown: Report) -> ModelResult:
    """Let a sentence that takes an opening's place in the report rest on the paragraph that it opens.

    As a draft's openings do, it names no evidence itself. Where nothing else is left of the paragraph, it rests on
    what the replaced sentence rested on.
    """
    content = [
        block.model_copy(update={"input": _carry_new(block.input, shown)})
        if block.name == UPDATE_REPORT
        else block
        for block in written.content
    ]
    return written.model_copy(update={"content": content})


def _carry_new(change: Json, shown: Report) -> Json:
    section = find_section(str(change.get("section")), shown)
    claims, added, removed = (
        section.claims if section else [],
        change.get("add"),
        change.get("remove") or [],
    )
    if not (isinstance(added, list) and isinstance(removed, list)):
        return change
    gone = {n - 1 for n in removed if isinstance(n, int) and 0 < n <= len(claims)}
    if not gone:
        return {**change, "add": [*_carry_below(added)]}
    former = claims[min(gone)]
    rest = [claim for n, claim in enumerate(claims) if n not in gone and claim.part == former.part]
    carrying = [c.id for c in rest if c.part and c.id and former.id not in c.rests_on]
    bases: list[JsonValue] = [*(carrying or former.rests_on)]

    return {**change, "add": [_rest_on(said, bases) if _opens(said) else said for said in added]}


def _carry_below(added: Sequence[JsonValue]) -> Iterator[JsonValue]:
    """Yield a change's new sentences; one that opens a paragraph rests on those that it enters below, up to the next opening."""
    for n, said in enumerate(added):
        below = [*takewhile(lambda each: not _opens(each), added[n + 1 :])] if _opens(said) else []
        own = said.get("id") if isinstance(said, dict) else None
        carrying = [each for each in below if isinstance(each, dict) and each.get("id")]
        names = [each["id"] for each in carrying if not own or own not in _list_bases(each)]
        yield _rest_on(said, names)


def _list_bases(said: Json) -> list[JsonValue]:
    bases = said.get("rests_on")
    return bases if isinstance(bases, list) else []


def _rest_on(said: JsonValue, bases: list[JsonValue]) -> JsonValue:
    """Return a sentence that rests on others, unless it names evidence of its own or there are none."""
    is_bare = isinstance(said, dict) and not any(map(said.get, _EVIDENCE))
    return {**said, "rests_on": bases} if is_bare and bases else said  # type: ignore[dict-item]


def list_entered(written: ModelResult, draft: TextDraft) -> Iterator[int]:
    """Yield the numbers of the draft's sentences that a turn names."""
    for block in written.content:
        if block.name == UPDATE_REPORT:
            for said in _list_said(block.input):
                if (found := _read_number(said.get("text"), draft)) is not None:
                    yield found[0]


def list_own_names(written: ModelResult, draft: TextDraft) -> dict[str, str]:
    """Return the ids that a turn gives to sentences of the draft, with the draft's ids of these."""
    changes = (block.input for block in written.content if block.name == UPDATE_REPORT)
    numbered = (
        (said.get("id"), _read_number(said.get("text"), draft))
        for change in changes
        for said in _list_said(change)
    )
    return {own: _name(found[0]) for own, found in numbered if isinstance(own, str) and found}


def _list_said(change: Json) -> Iterator[Json]:
    """Yield the sentences and cells of a change, as a model wrote it."""
    for name in ("add", "figures"):
        listed = change.get(name)
        for item in listed if isinstance(listed, list) else ():
            said = item.get("claim") if name == "figures" and isinstance(item, dict) else item
            if isinstance(said, dict):
                yield said


def _enter(change: Json, draft: TextDraft, names: Mapping[str, str], shown: Report) -> Json:
    """Return a change with the draft's words; a sentence in other words may begin with bold ones."""

    def put(said: JsonValue, *, is_cell: bool = False) -> JsonValue:
        return (
            _put_sentence(said, draft, names, is_cell=is_cell) if isinstance(said, dict) else said
        )

    def put_cell(cell: JsonValue) -> JsonValue:
        is_cell = isinstance(cell, dict) and "claim" in cell
        return {**cell, "claim": put(cell["claim"])} if is_cell else cell  # type: ignore[dict-item, index, call-overload]

    read: Mapping[str, Any] = {"add": put, "figures": put_cell}
    entered: Json = {
        name: [*map(read[name], part)] if name in read and isinstance(part, list) else part
        for name, part in change.items()
    }
    said, added = change.get("add"), entered.get("add")
    if isinstance(said, list) and isinstance(added, list):
        opening = [_opens(each) or _opens(put) for each, put in zip(said, added, strict=True)]
        section = find_section(str(change.get("section")), shown)
        known = section.claims if section else []
        entered["add"] = [
            _carry_opening(n, added, opening, known) if is_opening else added[n]
            for n, is_opening in enumerate(opening)
        ]
    return entered


def _opens(said: JsonValue) -> bool:
    return isinstance(said, dict) and bool(said.get("opens"))


def _carry_opening(
    place: int, added: Sequence[JsonValue], opening: Sequence[bool], known: Sequence[Claim]
) -> JsonValue:
    """Return a drafted sentence that opens a paragraph; if it names no evidence, it rests on the rest of that.

    A paragraph of openings rests on the list or table below it; if all of that was entered before, on what the section
    has of the paragraph.
    """
    said = added[place]
    if not isinstance(said, dict) or not said.get("part") or any(map(said.get, _EVIDENCE)):
        return said
    number, _ = _read_part(said)
    parts = [(*_read_part(other), n) for n, other in enumerate(added)]
    carrying = [n for own, _, n in parts if own == number and not opening[n]]
    below = ((form, n) for other, form, n in parts if other > number)
    carrying = carrying or [n for _, n in takewhile(lambda each: each[0] != "paragraph", below)]
    others = [added[n] for n in carrying if n != place]
    names: list[JsonValue] = [o["id"] for o in others if isinstance(o, dict) and "id" in o]
    own = (c for c in known if c.part and c.part.number == number and not c.opens)
    names = names or [c.id for c in own if c.id and said.get("id") not in c.rests_on]
    return {**said, "rests_on": names} if names else said


def _read_part(said: JsonValue) -> tuple[int, str]:
    """Return the number and form of a sentence's part; 0 for one that the draft does not have."""
    part = said.get("part") if isinstance(said, dict) else None
    if not isinstance(part, dict):
        return 0, ""
    return int(str(part["number"])), str(part.get("form", "paragraph"))


def _put_sentence(said: Json, draft: TextDraft, names: Mapping[str, str], *, is_cell: bool) -> Json:
    bases = said.get("rests_on")
    if isinstance(bases, list):
        said = {**said, "rests_on": [_name_base(base, draft, names) for base in bases]}
    found = _read_number(said.get("text"), draft)
    if found is None:
        return _read_lead(said)
    number, words = found
    drafted = draft.sentences[number - 1]
    kept = {name: value for name, value in said.items() if name not in _OF_THE_DRAFT}
    entered: Json = {**kept, **_describe(drafted), "id": _name(number)}
    return _reword(entered, words) if words else entered


def _describe(drafted: DraftSentence) -> Json:
    told = drafted.model_dump(
        mode="json", include={"text", "part", "lead_chars", "opens"}, exclude_defaults=True
    )
    return {**told}


def _reword(entered: Json, words: str) -> Json:
    """Return a drafted sentence in other words, in its place; it keeps a lead that they begin with."""
    lead = str(entered["text"])[: int(str(entered.get("lead_chars", 0)))]
    kept = {name: value for name, value in entered.items() if name not in _OF_THE_DRAFT}
    said = _read_lead({**kept, "text": words})
    if lead and words.startswith(lead):
        said["lead_chars"] = len(lead)
    return said


def _read_lead(said: Json) -> Json:
    """Return a sentence without Markdown's asterisks around its beginning, and note the length of that as its lead."""
    text = said.get("text")
    bold = _BOLD.match(text) if isinstance(text, str) else None
    if not bold or not isinstance(text, str):
        return said
    lead, rest = f"{bold[1].strip()}{bold[2]}", text[bold.end() :]
    if not rest:
        return {**said, "text": lead, "opens": True}
    return {**said, "text": f"{lead} {rest}", "lead_chars": len(lead)}


def _read_number(text: JsonValue, draft: TextDraft) -> tuple[int, str] | None:
    """Parse `#12` or `#12 New words.` into the number and the words, which may be empty.

    Return None for any other text, for a number that the draft does not have, and for a sentence such as “#1 by sales”, which
    goes on in lower case though neither a cell nor the drafted words do.
    """
    found = _NUMBERED.fullmatch(text.strip()) if isinstance(text, str) else None
    if not found or not 1 <= int(found[1]) <= len(draft.sentences):
        return None
    number, words = int(found[1]), found[2] or ""
    drafted = draft.sentences[number - 1]
    is_lower = drafted.part is None or drafted.text[:1].islower()
    return (number, words) if is_lower or not words[:1].islower() else None


def _name_base(base: JsonValue, draft: TextDraft, names: Mapping[str, str]) -> JsonValue:
    """Return the id of the sentence that a number or a name of the turn's own means; any other name as it is."""
    if (found := _read_number(base, draft)) is not None:
        return _name(found[0])
    return names.get(base, base) if isinstance(base, str) else base


def _name(number: int) -> str:
    return f"draft-{number}"


def place_new(
    claims: Sequence[Claim],
    replaced: Sequence[Claim],
    before: Claim | None,
    parts: Iterable[DraftPart],
) -> list[Claim]:
    """Return new sentences in the parts of a text that they join.

    As many as they replace take the places of these, one by one. Others continue the first of the
    `replaced`, else the sentence `before`; one that opens a paragraph, or begins with a name in bold, begins a new part
    after all of `parts`. A row's lead is its first cell, which ends with a colon; behind a row, a sentence without one
    begins a paragraph.
    """
    first = replaced[0] if replaced else before
    pairs = replaced if len(replaced) == len(claims) else [first] * bool(claims)
    last, part, placed = max((each.number for each in parts), default=0), None, list[Claim]()
    for claim, former in zip_longest(claims, pairs):
        if former:
            part = former.part
        if (claim.opens or claim.lead_chars) and not claim.part and last and not replaced:
            last += 1
            form = part.form if part and not claim.opens else "paragraph"
            part = DraftPart(number=last, form=form)
        elif part and part.form == "row" and not replaced and ": " not in claim.text:
            last += 1
            part = DraftPart(number=last)
        part = claim.part or part
        update: dict[str, object] = {"part": part}
        if former and former.lead and not claim.lead and claim.text.startswith(former.lead):
            update |= {"lead_chars": former.lead_chars}
        elif part and part.form == "row" and not claim.lead:
            update |= {"lead_chars": claim.text.find(": ") + 1}
        placed.append(claim.model_copy(update=update))
    return placed
