"""Drafts for the shapes of an answer: extracts where there are sources, else the question's own words."""

import re
from functools import cached_property
from itertools import islice
from typing import Any

from offline.model.extracts import ENDS, Extracts, Grid, GridCell
from offline.model.material import Material
from offline.model.question import capitalize
from offline.model.schema import SHORT_CHARS, Shape
from offline.text.passages import Passage, find_figures
from offline.text.words import clip, join_phrases

MISSING: Any = object()
"""No draft: the writer or the schema decides."""
OMITTED: Any = object()
"""A draft for a property that is left out where it may be."""
NO_MODEL = "No model was asked."
NOTHING = "No model was asked, and without one (ANTHROPIC_API_KEY) nothing is worked out here."
EXTRACT = "No model was asked; this is what the sources say:"
HELP = "name a folder of documents with --library DIR, or set ANTHROPIC_API_KEY and BRAVE_API_KEY."
PLAN = "Search for {}; read the pages that bear on it and quote them."
OPTIONS = ["Cost", "Quality", "Size", "Risk"]
MOST_STATEMENTS, MOST_SENTENCES, FEW = 8, 3, 3
CARRIED = 0.6
"""The share of a sentence's stems that its quotes must have to carry it."""
LABEL_CHARS, PASSAGE_CHARS, YEAR_DAYS = 120, 300, 365


class Writer:
    """Writes the drafts of one answer; no passage is used twice in it."""

    def __init__(self, material: Material, *, has_written: bool = False) -> None:
        self._material = material
        self._subject = material.subject
        self._has_written = has_written
        self._used: list[Passage] = []
        self._reads = bool(material.sources or material.conversation.uses or material.citing)

    @cached_property
    def extracts(self) -> Extracts:
        """The passages that bear on the question."""
        return Extracts(self._subject, self._material.sources)

    @cached_property
    def summary(self) -> str:
        """The best passages as one text, or that there are none."""
        told = [clip(p.brief, PASSAGE_CHARS) for p in self.extracts.told[:MOST_SENTENCES]]
        whole = [text if text.endswith((*ENDS, "…")) else f"{text}." for text in told]
        return " ".join([EXTRACT, *whole]) if whole else self.remark

    @cached_property
    def remark(self) -> str:
        """What was not taken from the sources; empty where every word was.

        Nothing is said of what the sources hold: they are matched by words, and read in part.
        """
        if not self.extracts.ranked:
            return self.describe_lack(self._subject.topic or self._subject.title)
        missing = self.extracts.missing
        said = [self.describe_lack(name) for name in self.extracts.untold]
        quoted = join_phrases([f"“{word}”" for word in missing], "or")
        said += [f"No passage with the word {quoted} was taken."] if missing else []
        return " ".join(said)

    def describe_lack(self, what: str) -> str:
        """Return a sentence that says that nothing was taken on it, and what would help if nothing was at all."""
        about, asked = f"“{clip(what, LABEL_CHARS)}”", self._material.conversation
        uses = [use for turn in asked.uses for use in turn]
        if self._material.sources or any(not use.failed for use in uses):
            nothing = f"No passage was taken for {about}"
            if self.extracts.names(what):
                nothing += ": the sources name it, but not beside words of the question"
            return f"{nothing}." if self.extracts.ranked else f"{nothing}; {HELP}"
        if uses:
            return f"No search was answered, so nothing was read on {about}."
        lines = (line for data in self._material.data if isinstance(data, list) for line in data)
        said = [line for line in lines if isinstance(line, str) and not asked.schema]
        return said[0] if said else NOTHING

    def draft(self, shape: Shape) -> Any:
        """Return a value near the shape, or MISSING."""
        match shape.kind:
            case "object":
                return self._draft_object(shape)
            case "array":
                return self._draft_array(shape)
            case "string":
                return self.summary if self._reads else self._subject.title
            case _:
                return MISSING

    def _draft_object(self, shape: Shape) -> Any:
        if shape.is_statement:
            return self._draft_forced(shape)
        if has_rows(shape):
            grid = self.extracts.grid
            return draft_table(shape, grid, self._subject.compared) if grid else None
        if shape.find_names("boolean"):
            return self._draft_verdict(shape)
        return self._draft_fields(shape)

    def _draft_forced(self, shape: Shape) -> Any:
        """Return a statement that the schema insists on: from any passage, or an empty one."""
        rest = (p for s in self._material.sources for p in s.passages if p not in self._used)
        found = self._take_passages(1) or list(islice(rest, 1))
        self._used += found
        if found:
            return make_statement(shape, found[0])
        return dict.fromkeys(shape.find_names("string"), "")

    def _take_passages(self, most: int, *, spread: bool = False) -> list[Passage]:
        """Return the best passages that are not used yet; `spread`: one of each source."""
        every = [p for source in self._material.sources for p in source.passages if spread]
        rest = [p for p in (*self.extracts.told, *every) if p not in self._used]
        first = {passage.source: passage for passage in reversed(rest)}
        found = ([first[number] for number in sorted(first)] if spread else rest)[:most]
        self._used += found
        return found

    def _draft_fields(self, shape: Shape) -> dict[str, Any]:
        """Return drafts for an object of any properties; lists in lists are drafted later."""
        drafts: dict[str, Any] = self._draft_strings(shape) | self._draft_string_lists(shape)
        if not self._reads:
            age = YEAR_DAYS if self._subject.is_timely else None
            known = self._material.settled
            drafts |= dict.fromkeys(shape.find_names("integer"), age)
            drafts |= {name: known[name] for name in shape.properties if known.get(name)}
            for name, more in self._material.related.items():
                if isinstance(own := drafts.get(name), list):
                    drafts[name] = [*own, *(each for each in more[:FEW] if each not in own)]
        seen: set[str] = set()
        for name, each in shape.properties.items():
            if each.kind == "enum" and "default" in each.schema and not shape.requires(name):
                drafts[name] = OMITTED
            if each.items and each.items.is_statement:
                form = ",".join(inner.kind for inner in each.items.properties.values())
                if form in seen:  # extracts cannot be told apart by what they speak for
                    drafts[name] = []
                seen.add(form)
        return drafts

    def _draft_strings(self, shape: Shape) -> dict[str, Any]:
        """Return an object's strings: a label, a text, and what is missing behind a list."""
        names = shape.find_names("string")
        if shape.is_rating:
            return dict.fromkeys(names, NO_MODEL)
        order = list(shape.properties)
        arrays = [order.index(n) for n, each in shape.properties.items() if each.kind == "array"]
        drafts: dict[str, Any] = {}
        for n, name in enumerate(names):
            is_behind = any(place < order.index(name) for place in arrays)
            if is_behind and self._reads and n > 0:
                drafts[name] = self.remark
            elif n == 0:
                is_short = 0 < shape.properties[name].most_chars <= SHORT_CHARS
                is_label = len(names) > 1 or is_short or shape.has_sections
                drafts[name] = self._subject.title if is_label else self._make_text()
            else:
                is_free = not shape.requires(name) and n > 1
                drafts[name] = OMITTED if is_free else self._make_text()
        return drafts

    def _make_text(self) -> str:
        if self._reads:
            return self.summary
        return f"Quote what sources say on this: {clip(self._subject.question, LABEL_CHARS * 2)}"

    def _draft_string_lists(self, shape: Shape) -> dict[str, Any]:
        """Return an object's lists of strings: extracts or a remark, else queries and headings."""
        names = shape.find_lists("string")
        if not self._reads:
            return self._draft_plan_lists(shape, names)
        if self._has_written:
            return {name: [] for name in names}
        if shape.lists_statements or shape.find_names("number"):
            said = [self.remark] if self.remark else []
            return {name: said if n == 0 else [] for n, name in enumerate(names)}
        if not names:
            return {}
        found = [passage.plain for passage in self._take_passages(MOST_STATEMENTS)]
        return {names[0]: found or [self.remark]} | {name: [] for name in names[1:]}

    def _draft_plan_lists(self, shape: Shape, names: list[str]) -> dict[str, Any]:
        """Return lists before anything is read: of short strings, queries and headings by turns.

        Lists of long strings say what was wished for, the last one what holds for all.
        """
        long = [n for n in names if (i := shape.properties[n].items) and i.most_chars > SHORT_CHARS]
        short = [name for name in names if name not in long]
        views = [self._material.queries, self._material.parts] * len(short)
        said = ["Figures are quoted as their sources state them."]
        drafts: dict[str, Any] = dict(zip(short, views, strict=False))
        wished = [clip(wish, PASSAGE_CHARS).rstrip(".") for wish in self._subject.wishes]
        return drafts | dict.fromkeys(long, wished) | dict.fromkeys(long[-1:], said)

    def _draft_array(self, shape: Shape) -> Any:
        items = shape.items
        options = items.schema.get("enum") if items else None
        if options and self._subject.is_vague and not self._reads:
            return options[:1]  # of what may be lacking: a subject is
        if items is None or items.kind != "object":
            return MISSING
        if items.is_statement:
            rates = bool(items.find_names("number"))
            found = self._take_passages(MOST_STATEMENTS, spread=rates)
            return [make_statement(items, passage) for passage in found]
        if items.find_names("integer"):
            return self._draft_numbered(items)
        if not self._reads and items.is_query:
            return self._draft_questions(items)
        if items.find_names("string") and items.lists_statements:
            # What speaks for which of several things a model tells, and words do not.
            return [] if items.is_rating else self._draft_sections(items)
        if items.is_record:
            return self._draft_records(items)
        return [MISSING] * (FEW if self._material.sources else 0)

    def _draft_numbered(self, items: Shape) -> list[dict[str, Any]]:
        """Return an entry for each of the given records, by its number."""
        [number, *_] = items.find_names("integer")
        drafts = []
        for n, _ in enumerate(self._material.records, start=1):
            draft: dict[str, Any] = {number: n} | {key: [] for key in items.find_lists("string")}
            drafts.append(draft | dict.fromkeys(items.find_names("string"), NO_MODEL))
        return drafts

    def _measure_share(self, text: str, quotes: str) -> float:
        """Return the share of a text's stems that quotes have; none if they lack a figure."""
        wanted, seen = (self._subject.language.list_stems(part) for part in (text, quotes))
        has_figures = set(find_figures(text)) <= set(find_figures(quotes))
        return len(wanted & seen) / max(1, len(wanted)) if has_figures else 0.0

    def _draft_verdict(self, shape: Shape) -> dict[str, Any]:
        """Return yes where nothing is to be shown; else whether some sentence has the words."""
        names, lists = shape.find_names("string"), shape.find_lists("string")
        if lists or not names:
            return dict.fromkeys(shape.find_names("boolean"), bool(lists)) | {
                key: [] for key in lists
            }
        wanted = self._subject.question
        rest = [line for text in self._material.prose[1:] for line in text.splitlines()]
        best = max(rest, key=lambda line: self._measure_share(wanted, line), default="")
        holds = bool(rest) and self._measure_share(wanted, best) >= CARRIED
        said = [best.strip() if holds else "", "No model was asked; words were compared."]
        return dict.fromkeys(shape.find_names("boolean"), holds) | dict(
            zip(names, said, strict=False)
        )

    def _draft_questions(self, items: Shape) -> list[dict[str, Any]]:
        """Return questions on what is open, as few as the request allows."""
        things = join_phrases(self._subject.compared)
        about = things or f"“{clip(self._subject.topic, LABEL_CHARS)}”"
        weighed = f"when {things} are compared" if things else f"about {about}"
        asked = [
            (f"What should count most {weighed}?", "It decides what is searched first.", OPTIONS),
            (f"Which years matter to you for {about}?", "Figures change from year to year.", []),
            (f"What will you do with the answer on {about}?", "It decides how deep to search.", []),
        ]
        least = min([FEW, *self._material.numbers])
        if self._subject.is_vague:
            said = clip(self._subject.question, LABEL_CHARS)
            asked.insert(0, (f"What exactly is “{said}” about?", "It names no subject.", []))
            least = max(least, 1)
        names, lists = items.find_names("string"), items.find_lists("string")
        return [
            dict(zip(names, texts, strict=False)) | dict.fromkeys(lists, list_options)
            for *texts, list_options in asked[:least]
        ]

    def _draft_sections(self, items: Shape) -> list[dict[str, Any]]:
        """Return a section for each agreed heading, with the passages that fit it best."""
        agreed = self._material.phrases
        headings = agreed[-1] if agreed else self._subject.parts
        found = self.extracts.sort_by_heading(headings, MOST_STATEMENTS)
        self._used += [passage for passages in found.values() for passage in passages]
        [lists, *_] = [n for n, s in items.properties.items() if s.items and s.items.is_statement]
        inner = items.properties[lists].items
        assert inner is not None
        [label, *others] = [*items.find_names("string"), ""]
        drafts = []
        for heading, passages in found.items():
            nothing = "" if passages else self.describe_lack(heading)
            draft: dict[str, Any] = dict.fromkeys(filter(None, others), nothing)
            said = [make_statement(inner, passage) for passage in passages]
            drafts.append(draft | {label: heading, lists: said})
        return drafts

    def _draft_records(self, items: Shape) -> list[dict[str, Any]]:
        """Return extracts under their labels; before anything was read, the parts of the question."""
        names, enums = items.find_names("string"), items.find_names("enum")
        if self._reads:
            found = [[make_label(p), p.brief] for p in self._take_passages(FEW)]
        else:
            is_whole = all(map(items.requires, names))
            roles = [str(value) for name in enums for value in list_options(items, name)]
            found = self._draft_steps(roles, is_whole)
        drafts = []
        for n, texts in enumerate(found):
            more = [*texts, *[NO_MODEL] * len(names)]
            draft = dict(zip(names, more, strict=False))
            for name in names[2:]:
                draft[name] = draft[name] if items.requires(name) else OMITTED
            choices = {name: list_options(items, name) for name in enums}
            drafts.append(draft | {name: c[n % len(c)] for name, c in choices.items()})
        return drafts

    def _draft_steps(self, roles: list[str], is_whole: bool) -> list[list[str]]:
        """Return a step for each role, or for each part of the question.

        Of entries that say nothing more of themselves, as many as may be: by aspects of a part.
        """
        most = min(self._material.numbers, default=max(FEW, len(roles)))
        if roles:
            plan = PLAN.format(join_phrases(self._material.queries))
            names = [capitalize(re.sub(r"[_-]", " ", role)) for role in roles]
            return [[f"{role}: {self._subject.title}", plan] for role in names[:most]]
        parts = self._subject.parts
        parts += [f"{parts[0]}: {option.lower()}" for option in OPTIONS if is_whole]
        return [[p, PLAN.format(join_phrases(self._subject.list_queries(p)))] for p in parts[:most]]


def list_options(shape: Shape, name: str) -> list[Any]:
    """Return the values that a property may have."""
    schema = shape.properties[name].schema
    return list(schema.get("enum") or [schema.get("const")])


def make_label(passage: Passage) -> str:
    """Return a short name for what a passage says."""
    return clip(passage.fact[0] if passage.fact else passage.plain, LABEL_CHARS)


def make_statement(shape: Shape, passage: Passage) -> dict[str, Any]:
    """Return a passage as an object that quotes it; what more is asked is its label or figure."""
    value = passage.fact[1] if passage.fact else next(iter(passage.figures), "")
    free = len(shape.texts) - (1 if shape.citing else 2 if shape.quoting else 0)
    return cite(shape, passage, passage.brief, [make_label(passage)] if free == 1 else [value])


def cite(shape: Shape, passage: Passage, text: str, about: list[str]) -> dict[str, Any]:
    """Return a text with the quotes of its passage; further strings say what it is about."""
    if shape.citing:
        pair = shape.properties[shape.citing].items
        quotes = [make_citation(pair, passage.source, quote) for quote in passage.quotes]
        return {shape.texts[0]: text, shape.citing: quotes}
    if shape.carrying:
        draft: dict[str, Any] = dict.fromkeys(shape.find_names("integer"), passage.source)
        draft[shape.carrying] = cite(shape.properties[shape.carrying], passage, text, [])
    else:
        draft, about = make_citation(shape, passage.source, passage.text), [text, *about]
    free = [name for name in shape.find_names("string") if name not in draft]
    return draft | dict(zip(free, [*about, *[""] * len(free)], strict=False))


def make_citation(shape: Shape | None, source: int, quote: str) -> dict[str, Any]:
    """Return the two properties that quote a source."""
    assert shape is not None
    assert shape.quoting is not None
    return dict(zip(shape.quoting, (source, quote), strict=True))


def has_rows(shape: Shape) -> bool:
    """Tell whether an object is a table: columns by name, and rows of cells."""
    return bool(shape.find_lists("string")) and any(
        find_cells(each) for each in shape.properties.values()
    )


def find_cells(shape: Shape) -> Shape | None:
    """Return the shape of the rows' cells, of a list of rows."""
    row = shape.items
    if row is None:
        return None
    if row.kind == "array":
        return row.items
    lists = [each.items for each in row.properties.values() if each.kind == "array"]
    is_row = len(row.find_names("string")) == 1 and len(row.properties) == 2
    is_cell = lists and lists[0] and lists[0].is_statement and not lists[0].is_citation
    return lists[0] if is_row and is_cell else None


def draft_table(shape: Shape, grid: Grid, columns: list[str]) -> dict[str, Any]:
    """Return a grid as the object of a table; a measure that is not known of something is null."""
    [names] = shape.find_lists("string")
    rows_name = next(n for n, s in shape.properties.items() if find_cells(s))
    row = shape.properties[rows_name].items
    assert row is not None
    rows = [(label, [cells.get(name) for name in columns]) for label, cells in grid.items()]
    if row.kind == "array":
        told: list[Any] = [[label, *(c and c.value for c in cells)] for label, cells in rows]
        titles = dict.fromkeys(shape.find_names("string"), f"Figures of {join_phrases(columns)}")
        return titles | {names: ["Measure", *columns], rows_name: told}
    [label_name], [cells_name] = row.find_names("string"), row.find_names("array")
    cell = row.properties[cells_name].items
    assert cell is not None
    drafts = [
        {label_name: label, cells_name: [c and draft_cell(cell, label, c) for c in cells]}
        for label, cells in rows
    ]
    return {names: columns, rows_name: drafts}


def draft_cell(shape: Shape, label: str, cell: GridCell) -> dict[str, Any]:
    """Return a figure with its quote, and its row and column where they are asked for."""
    return cite(shape, cell.passage, cell.value, [label, cell.of])
