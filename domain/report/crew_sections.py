"""A crew's answers as a report: every claim with its quotes, for tasks of any schema."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from itertools import chain, zip_longest
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import JsonValue, ValidationError

from contracts.agents.crews import CrewTask, PlacedSection, Superseded
from contracts.base import Contract, Json
from contracts.evidence.claims import Claim
from contracts.evidence.reasons import Reason
from contracts.notices import Notice
from contracts.report.report import Comparison, ComparisonRow, Section
from contracts.words import Language, say_name
from domain.evidence.claims import find_claims, list_texts, name_claims, replace_claims
from domain.evidence.normal_forms import spell_words
from domain.report.changes.patches import build_grid
from domain.report.claims.claim_index import ToldClaims
from domain.report.claims.report_claims import rename_claim
from domain.report.gaps.kept_gaps import list_new_lines

T = TypeVar("T", bound=Contract)

GAPS = "gaps"
"""The field of a task's output that lists what it did not find."""

COMPARISON = "comparison"
"""The field of a task's output that sets figures side by side."""

SECTIONS = "sections"
"""The field of a concluding task's output that has the report's sections."""

SUPERSEDED = "superseded"
"""Field of a concluding task's output that lists the sentences it replaces."""


def name_apart(task: str, output: Json) -> Json:
    """Give all claims of an output ids prefixed with the task's, and update references to them."""
    given: Any = name_claims(output)
    own = {claim.id for claim in find_claims(given)}

    def tell(name: str) -> str:
        return f"{task}.{name}" if name in own else name

    def rename(said: Json, claim: Claim) -> Json:
        return said | {"id": tell(claim.id), "rests_on": [*map(tell, claim.rests_on)]}

    named: Any = replace_claims(given, rename)
    return dict(named)


def arrange_sections(
    tasks: Sequence[CrewTask],
    outputs: Mapping[str, Json],
    outline: Sequence[str],
    language: Language = "en",
) -> list[Section]:
    """Return the sections of a crew's report: those of its concluding task, under the approved headings.

    Claims that it does not place become details under their task's title, unless a placed claim says the
    same; so do claims it supersedes. If no task wrote sections, each task gets its own, conclusions first.
    """
    done = [(task, outputs[task.id]) for task in tasks if task.id in outputs]
    own = [section for task, output in done for section in build_sections(task, output, language)]
    if placed := [section for _, output in done for section in _read_placed(output)]:
        own = _mark_superseded(own, placed, done)
        sections = _place_claims(placed, own, outline)
        sections += _list_rest(own, sections, _list_replaced(placed, done))
        return _rename_left_out(sections, [c for part in [*own, *placed] for c in part.claims])
    return sorted(own, key=lambda section: not _only_concludes(section.claims))


def _mark_superseded(
    own: Iterable[Section], placed: Iterable[PlacedSection], done: Iterable[tuple[CrewTask, Json]]
) -> list[Section]:
    """Return the sections with `superseded_by` set on each claim that a usable claim of the placed sections supersedes."""
    stands = {claim.id for section in placed for claim in section.claims if claim.is_usable}
    named = ((one, f"{task.id}.{one.by}") for task, out in done for one in _read_superseded(out))
    by = {one.sentence: name for one, name in named if name in stands}

    def mark(claim: Claim) -> Claim:
        return claim.model_copy(update={"superseded_by": by.get(claim.id, "")})

    return [part.model_copy(update={"claims": [*map(mark, part.claims)]}) for part in own]


def _place_claims(
    placed: Iterable[PlacedSection], own: Iterable[Section], outline: Iterable[str]
) -> list[Section]:
    """Return the headings of an outline, then any others, with the claims placed under them, each once."""
    claims = [claim for section in own for claim in section.claims]
    left = {claim.id: claim for claim in claims if claim.id and not claim.superseded_by}
    found = {spell_words(heading): Section(heading=heading) for heading in outline}
    told = set[str]()
    for part in placed:
        before = found.get(spell_words(part.heading)) or Section(heading=part.heading)
        claims = list(before.claims)
        for claim in [*part.claims, *(left[name] for name in part.sentences if name in left)]:
            if (words := spell_words(claim.text)) not in told:
                told.add(words)
                claims.append(claim)
        missing = "\n".join(filter(None, (before.missing, part.missing)))
        update = {"claims": claims, "missing": missing, "is_list": part.is_list}
        found[spell_words(part.heading)] = before.model_copy(update=update)
    return [*found.values()]


def name_gaps(task: str, output: Json) -> dict[str, str]:
    """Return a task's gaps by ids prefixed with the task's."""
    lines = list_texts(output.get(GAPS))
    return {f"{task}.gap-{n}": line for n, line in enumerate(lines, start=1)}


def _list_replaced(
    placed: Iterable[PlacedSection], done: Iterable[tuple[CrewTask, Json]]
) -> set[str]:
    """Return the lines of tasks' gaps in whose place a placed section says what is missing."""
    named = {name: gap for task, output in done for name, gap in name_gaps(task.id, output).items()}
    names = [name for part in placed if part.missing.strip() for name in part.replaces]
    return {line for name in names for line in named.get(name, "").splitlines()}


def _list_rest(
    own: Sequence[Section], sections: Sequence[Section], replaced: Set[str]
) -> Iterator[Section]:
    """Yield, as details, the parts of the tasks' own sections that the placed sections lack."""
    told = [claim for section in sections for claim in section.claims]
    ids = {claim.id for claim in told if claim.id}
    usable = ToldClaims(claim for claim in told if claim.is_usable)
    listed = [line for section in sections for line in section.missing.splitlines()]
    new = {*list_new_lines((section.missing for section in own), [*listed, *replaced])}
    for section in own:
        rest = [claim for claim in section.claims if claim.id not in ids]
        claims = [c for c in rest if c.superseded_by or not usable.find(c)]
        gaps = "\n".join(line for line in section.missing.splitlines() if line.strip() in new)
        if claims or gaps:
            update = {"claims": claims, "missing": gaps, "is_detail": True}
            yield section.model_copy(update=update)


def _rename_left_out(sections: Sequence[Section], claims: Iterable[Claim]) -> list[Section]:
    """Redirect `rests_on` of claims from omitted duplicates to the claim that was kept."""
    kept = {claim.id: claim for section in sections for claim in section.claims if claim.id}
    told = ToldClaims(kept.values())
    names = {c.id: t.id for c in claims if c.id not in kept and (t := told.find(c))}
    return [
        section.model_copy(update={"claims": [rename_claim(c, names) for c in section.claims]})
        for section in sections
    ]


def list_malformed(tasks: Iterable[CrewTask], outputs: Mapping[str, Json]) -> list[Notice]:
    """Return a notice for each list of a concluding task with entries that cannot be read.

    A task's own schema may be looser than what sections and superseded sentences are read by.
    """
    found: list[Notice] = []
    for task in tasks:
        output = outputs.get(task.id, {})
        sections, superseded = _read_entries(output, SECTIONS, PlacedSection), list[JsonValue]()
        if sections.read:
            superseded = _read_entries(output, SUPERSEDED, Superseded).odd
        told = {"crew-sections-odd": sections.odd, "crew-superseded-odd": superseded}
        found += [Notice.of(code, n=len(odd), task=task.id) for code, odd in told.items() if odd]
    return found


class _Entries(NamedTuple, Generic[T]):
    """The entries of a list that could be read, and the others, if it is such a list at all."""

    read: list[T]
    odd: list[JsonValue]


def _read_placed(output: Json) -> list[PlacedSection]:
    return _read_entries(output, SECTIONS, PlacedSection).read


def _read_superseded(output: Json) -> list[Superseded]:
    return _read_entries(output, SUPERSEDED, Superseded).read


def _read_entries(output: Json, name: str, kind: type[T]) -> _Entries[T]:
    """Read a list that a task's output has; a `sections` without any section means something else."""
    value = output.get(name)
    entries, read, odd = value if isinstance(value, list) else [], list[T](), list[JsonValue]()
    for entry in entries:
        try:
            read.append(kind.model_validate(entry))
        except ValidationError:
            odd.append(entry)
    return _Entries(read, odd if read or name != SECTIONS else [])


def build_sections(task: CrewTask, output: Json, language: Language = "en") -> list[Section]:
    """Return a section for each of a task's lists, without the concluding task's references to others' sentences."""
    heading = task.name(language)
    gaps = "\n".join(list_texts(output.get(GAPS)))
    placed, odd = _read_entries(output, SECTIONS, PlacedSection)
    aside = {GAPS, *([SECTIONS, SUPERSEDED] if placed else [])}
    parts = {
        n: part for n, part in output.items() if n not in aside and not _is_comparison(n, part)
    }
    named = {name: list(_read_claims(part)) for name, part in parts.items()}
    if unplaced := [*find_claims(odd)]:
        named[SECTIONS] = unplaced
    sections = [
        Section(
            heading=_name_section(heading, say_name(language, name), claims)
            if len(named) > 1
            else heading,
            claims=claims,
            missing=gaps if n == len(named) else "",
        )
        for n, (name, claims) in enumerate(named.items(), start=1)
    ]
    return sections or ([Section(heading=heading, missing=gaps)] if gaps else [])


def join_comparisons(outputs: Iterable[Json], names: Sequence[str] = ()) -> Comparison | None:
    """Merge the comparison tables of a crew's tasks into one, or return None if no task wrote one.

    A cell that two tasks fill differently is a contradiction: the later one stands in a row of its own below, labelled
    with the task's name.
    """
    told = zip_longest(outputs, names, fillvalue="")
    tables = [
        (table, name)
        for output, name in told
        if isinstance(output, dict) and (table := _read_comparison(output.get(COMPARISON)))
    ]
    columns = list(dict.fromkeys(column for table, _ in tables for column in table.columns))
    grid: dict[str, list[tuple[str, dict[str, Claim]]]] = {}
    for n, (table, name) in enumerate(tables, start=1):
        for label, cells in build_grid(table).items():
            rows = grid.setdefault(label, [(label, {})])
            own = {
                column: cell
                for column, cell in cells.items()
                if cell and not any(_says_same(row.get(column), cell) for _, row in rows)
            }
            free = {column: cell for column, cell in own.items() if column not in rows[0][1]}
            rows[0][1].update(free)
            if beside := {column: cell for column, cell in own.items() if column not in free}:
                rows.append((f"{label} ({name or n})", beside))
    joined = [row for rows in grid.values() for row in rows]
    made = [ComparisonRow(label=label, cells=[*map(c.get, columns)]) for label, c in joined]
    return Comparison(columns=columns, rows=made) if made else None


def _says_same(one: Claim | None, other: Claim) -> bool:
    return one is not None and spell_words(one.text) == spell_words(other.text)


def join_outputs(outputs: Sequence[Json], names: Sequence[str] = ()) -> Json:
    """Return the tasks' fields side by side; lists of one name become one list.

    Other values of one name stand under the tasks' names, or their numbers, if they differ.
    """
    values: dict[str, dict[str, JsonValue]] = {}
    for n, output in enumerate(outputs):
        for name, value in output.items():
            values.setdefault(name, {})[names[n] if n < len(names) else str(n + 1)] = value
    return {name: _join_values(by_task) for name, by_task in values.items()}


def _join_values(by_task: dict[str, JsonValue]) -> JsonValue:
    told: dict[str, JsonValue] = {n: value for n, value in by_task.items() if value is not None}
    lists = [value for value in told.values() if isinstance(value, list)]
    if told and len(lists) == len(told):
        return [*chain.from_iterable(lists)]
    distinct = [*told.values()]
    if all(value == distinct[0] for value in distinct):
        return distinct[0] if distinct else None
    return told


def _is_comparison(name: str, value: JsonValue) -> bool:
    """Return whether a field is a table, or null, which no section repeats."""
    return name == COMPARISON and (value is None or _read_comparison(value) is not None)


def _read_comparison(value: JsonValue) -> Comparison | None:
    """Return a field of an agent's output as a comparison, if it is one."""
    with suppress(ValidationError):
        table = Comparison.model_validate(value)
        return None if table.is_empty else table
    return None


def _name_section(heading: str, name: str, claims: list[Claim]) -> str:
    """Return the heading of one of a task's fields: without the task's, if all of it is concluded."""
    return name if _only_concludes(claims) else f"{heading}: {name}"


def _only_concludes(claims: list[Claim]) -> bool:
    return bool(claims) and all(claim.kind == "concluded" for claim in claims)


def _read_claims(value: JsonValue) -> Iterator[Claim]:
    """Yield the claims in a value; text that cites nothing becomes an unsupported claim."""
    for item in value if isinstance(value, list) else [value]:
        if found := list(find_claims(item)):
            yield from found
        else:
            for text in _find_strings(item):
                yield Claim(text=text, citations=[]).rule("not_shown", Reason(code="uncited"))


def _find_strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _find_strings(part)
