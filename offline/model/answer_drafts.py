"""Drafts that fit the fields of an answer: extracts of the sources, else words of the question."""

import re
from functools import cached_property
from typing import Any

from offline.model.extracts import Extracts
from offline.model.material import Material
from offline.model.schema import SHORT_CHARS, Shape
from offline.text.passages import Passage
from offline.text.words import clip

MISSING: Any = object()
"""Marks that there is no draft, so that the writer or the schema's default decides."""
NO_MODEL = "No model was asked."
NOTHING = "No model was asked, and without one nothing is worked out here."
EXTRACT = "No model was asked; this is what the sources say:"
STEP = "Search for “{}”; read the pages found and quote them."
ASSUMED = "Figures are quoted as their sources state them."
OPTIONS = ["Cost", "Quality", "Size", "Risk"]
QUESTIONS: tuple[tuple[str, str, list[str]], ...] = (
    ("What should count most about “{}”?", "It decides what is searched first.", OPTIONS),
    ("Which years matter to you for “{}”?", "Figures change from year to year.", []),
    ("What will you do with the answer on “{}”?", "It decides how deep to search.", []),
)
MANY, MOST_STATEMENTS, MOST_SENTENCES, FEW, LABEL_CHARS, PASSAGE_CHARS = 50, 8, 3, 3, 120, 300


class Writer:
    """Writes the drafts of one answer; no passage is used twice in it."""

    def __init__(self, material: Material, *, is_editor: bool = False) -> None:
        self._material = material
        self._subject = material.subject
        self._is_editor = is_editor
        self._used: list[Passage] = []
        uses = material.conversation.uses
        self._reads = bool(material.sources or uses or material.citing or is_editor)

    @cached_property
    def extracts(self) -> Extracts:
        """The passages that share words with the question."""
        return Extracts(self._subject, self._material.sources)

    @cached_property
    def summary(self) -> str:
        """The best passages as one text, or a sentence that there are none."""
        told = [clip(p.plain, PASSAGE_CHARS) for p in self.extracts.ranked[:MOST_SENTENCES]]
        whole = [
            text if text.endswith((".", "!", "?", "。", "…")) else f"{text.rstrip(';:, ')}."
            for text in told
        ]
        return " ".join([EXTRACT, *whole]) if whole else self.remark

    @property
    def remark(self) -> str:
        """A sentence that nothing was extracted from the sources; empty if something was."""
        return "" if self.extracts.ranked else self.describe_lack(self._subject.title)

    def describe_lack(self, what: str) -> str:
        """Return a sentence that nothing was extracted on a subject."""
        about = f"“{clip(what, LABEL_CHARS)}”"
        uses = [use for turn in self._material.conversation.uses for use in turn]
        if self._material.sources or not all(use.failed for use in uses):
            return f"No passage was taken for {about}."
        return f"No search was answered, so nothing was read on {about}." if uses else NOTHING

    def draft(self, shape: Shape) -> Any:
        """Return a value near the shape, or MISSING."""
        match shape.kind:
            case "object" if shape.is_nullable:
                return None
            case "object" if shape.is_statement:
                return self._draft_forced(shape)
            case "object":
                return self._draft_object(shape)
            case "array":
                return self._draft_array(shape)
            case "string":
                return self.summary if self._reads else self._subject.title
            case _:
                return MISSING

    def _draft_forced(self, shape: Shape) -> Any:
        """Return a statement that the schema insists on: from any passage, or an empty one."""
        found = self._take_passages(1) or self._take_passages(1, spread=True)
        empty = dict.fromkeys(shape.find_names("string"), "")
        return make_statement(shape, found[0]) if found else empty

    def _take_passages(self, most: int, *, spread: bool = False) -> list[Passage]:
        """Return the best passages that are not used yet; `spread`: one of each source."""
        every = [p for source in self._material.sources for p in source.passages if spread]
        rest = [p for p in (*self.extracts.ranked, *every) if p not in self._used]
        first = {passage.source: passage for passage in reversed(rest)}
        found = ([first[number] for number in sorted(first)] if spread else rest)[:most]
        self._used += found
        return found

    def _draft_object(self, shape: Shape) -> dict[str, Any]:
        """Return drafts for an object of any properties; lists in lists are drafted later."""
        lists = shape.find_lists("string")
        if verdicts := shape.find_names("boolean"):  # a review has no objection, a rule is not met
            texts: dict[str, Any] = dict.fromkeys(shape.find_names("string"), NO_MODEL)
            holds = bool(lists) and not texts
            return texts | {name: [] for name in lists} | dict.fromkeys(verdicts, holds)
        draft_lists = self._draft_string_lists if self._reads else self._plan
        drafts = self._draft_strings(shape) | draft_lists(shape, lists)
        seen: set[str] = set()
        for name, each in shape.properties.items():
            if each.items and each.items.is_statement:
                form = ",".join(inner.kind for inner in each.items.properties.values())
                if (
                    form in seen
                ):  # both lists would get the same extracts, as the rules cannot tell what each argues for
                    drafts[name] = []
                seen.add(form)
        return drafts

    def _draft_strings(self, shape: Shape) -> dict[str, Any]:
        """Return drafts for an object's strings: a label, a text, and after the last list what is missing."""
        names, kinds = shape.find_names("string"), [s.kind for s in shape.properties.values()]
        if shape.is_rating:
            return dict.fromkeys(names, NO_MODEL)
        place = kinds.index("array") if "array" in kinds and self._reads else len(kinds)
        behind = [*shape.properties][place:]
        title = self._subject.title
        text = self.summary if self._reads else f"Quote what sources say on this: {title}"
        drafts: dict[str, Any] = dict.fromkeys(names[:2], text)
        drafts |= {name: text for name in names[2:] if shape.requires(name)}
        drafts |= {name: self.remark for name in names[1:] if name in behind}
        records = [items for _, items in shape.list_items() if not items.is_statement]
        is_label = len(names) > 1 or any(items.kind == "object" for items in records)
        drafts |= {name: title for name in names[:1] if is_label}
        asked = {n: str(shape.properties[n].schema.get("description", "")) for n in names}
        return drafts | {name: "" for name, text in asked.items() if text.endswith("?")}

    def _draft_string_lists(self, shape: Shape, names: list[str]) -> dict[str, Any]:
        """Return an object's lists of strings: extracts, else the remark, in the first of them."""
        if self._is_editor or not names:
            return {name: [] for name in names}
        if shape.lists_statements or shape.find_names("number"):
            said = [self.remark] if self.remark else []
        else:
            found = [passage.plain for passage in self._take_passages(MOST_STATEMENTS)]
            said = found or [self.remark]
        return {name: said if n == 0 else [] for n, name in enumerate(names)}

    def _plan(self, shape: Shape, names: list[str]) -> dict[str, Any]:
        """Return drafts for lists before anything is read: for short strings queries, then headings.

        A list that may have few of them stays empty, as only a model can choose. Lists of long strings get
        the question and what was requested since, the last of them an assumption. Values that the data give
        under the same names are kept, in lists after the drafts.
        """
        items = {name: each for name, each in shape.list_items() if name in names}
        long = [name for name, each in items.items() if each.most_chars > SHORT_CHARS]
        short = [name for name in names if name not in long]
        sizes = {name: shape.properties[name].schema.get("maxItems", MANY) for name in short}
        open_lists = [name for name in short if sizes[name] >= MANY]
        views = [self._material.queries, *[self._material.parts] * len(short)]
        drafts: dict[str, Any] = {name: [] for name in short}
        drafts |= dict(zip(open_lists, views, strict=False))
        drafts |= {name: [self._subject.title, *self._subject.requests] for name in long}
        drafts |= {name: [ASSUMED] for name in long[-1:]}
        drafts |= dict.fromkeys(shape.find_names("integer"))
        for name in shape.properties.keys() & self._material.settled.keys():
            own, known = drafts.get(name), self._material.settled[name]
            if isinstance(own, list) and isinstance(known, list):
                drafts[name] = [*own, *(each for each in known[:FEW] if each not in own)]
            else:
                drafts[name] = known
        return drafts

    def _draft_array(self, shape: Shape) -> Any:
        items = shape.items
        options = items.schema.get("enum") if items else None
        if options and self._subject.is_vague and not self._reads:
            return options[:1]  # the first option, of those that may be missing, is the subject
        if items is None or items.kind != "object":
            return MISSING
        if items.is_statement:
            rates = bool(items.find_names("number"))
            found = self._take_passages(MOST_STATEMENTS, spread=rates)
            return [make_statement(items, passage) for passage in found]
        if items.find_names("integer"):
            return self._draft_numbered(items)
        if not self._reads and items.find_names("string") and items.find_lists("string"):
            return self._draft_questions(items)
        if items.find_names("string") and items.lists_statements:
            # Only a model can tell which passage argues for which of several options.
            return [] if items.is_rating else self._draft_sections(items)
        if items.is_record:
            return self._draft_records(items)
        return [MISSING] * (FEW if self._material.sources else 0)

    def _draft_numbered(self, items: Shape) -> list[dict[str, Any]]:
        """Return an entry for each of the given records, by its number."""
        [number, *_] = items.find_names("integer")
        lists = [d for d in self._material.data if isinstance(d, list) and d]
        records = [each for each in (lists or [[]])[-1] if isinstance(each, dict)]
        rest: dict[str, Any] = {key: [] for key in items.find_lists("string")}
        rest |= dict.fromkeys(items.find_names("string"), NO_MODEL)
        return [{number: n} | rest for n, _ in enumerate(records, start=1)]

    def _draft_questions(self, items: Shape) -> list[dict[str, Any]]:
        """Return questions about what is unclear, as few as the request allows."""
        about = clip(", ".join(self._subject.names) or self._subject.question, LABEL_CHARS)
        least = min([FEW, *self._material.numbers])
        names, lists = items.find_names("string"), items.find_lists("string")
        asked = QUESTIONS[: max(least, self._subject.is_vague)]
        return [
            dict(zip(names, (question.format(about), why), strict=False))
            | dict.fromkeys(lists, choices)
            for question, why, choices in asked
        ]

    def _draft_sections(self, items: Shape) -> list[dict[str, Any]]:
        """Return a section for each agreed heading, with the passages that fit it best."""
        headings = [self._subject.parts, *self._material.phrases][-1]
        found = self.extracts.sort_by_heading(headings, MOST_STATEMENTS)
        self._used += [passage for passages in found.values() for passage in passages]
        name, inner = next((n, i) for n, i in items.list_items() if i.is_statement)
        [label, *others] = items.find_names("string")
        return [
            dict.fromkeys(others, "" if passages else self.describe_lack(heading))
            | {label: heading, name: [make_statement(inner, passage) for passage in passages]}
            for heading, passages in found.items()
        ]

    def _draft_records(self, items: Shape) -> list[dict[str, Any]]:
        """Return extracts under their labels; before anything was read, steps of a plan."""
        names = items.find_names("string")
        marks = [name for name in items.find_names("boolean") if items.requires(name)]
        choices = {name: items.properties[name].options for name in items.find_names("enum")}
        if self._reads:
            found = [[clip(p.plain, LABEL_CHARS), p.plain] for p in self._take_passages(FEW)]
        else:
            roles = [str(value) for options in choices.values() for value in options]
            roles = [] if marks and self._material.compared else roles
            found = self._draft_steps(roles, is_whole=all(map(items.requires, names)))
        more = {name: NO_MODEL for name in names[2:] if items.requires(name)}
        return [
            dict(zip(names, texts, strict=False))
            | more
            | {name: options[n % len(options)] for name, options in choices.items()}
            | dict.fromkeys(marks, not self._reads and bool(self._material.compared))
            for n, texts in enumerate(found)
        ]

    def _draft_steps(self, roles: list[str], *, is_whole: bool) -> list[list[str]]:
        """Return name and description of a step for each role, or else for each part of the question.

        With `is_whole`, add aspects of the first part, up to the maximum number of steps.
        """
        most = min(self._material.numbers, default=max(FEW, len(roles)))
        if roles:
            plan = STEP.format(self._subject.title)
            labels = [re.sub(r"[_-]", " ", role).capitalize() for role in roles]
            return [[f"{label}: {self._subject.title}", plan] for label in labels[:most]]
        parts = self._material.compared or self._material.parts[-1:]
        aspects = [f"{parts[0]}: {option.lower()}" for option in OPTIONS if is_whole]
        return [[part, STEP.format(part)] for part in [*parts, *aspects][:most]]


def make_statement(shape: Shape, passage: Passage) -> dict[str, Any]:
    """Return a passage as an object that quotes it; a further string says what it is about."""
    if shape.citing:
        pair = shape.properties[shape.citing].items
        assert pair is not None
        if passage.name:  # a sentence of the inputs, repeated by reference
            rests = {key: [passage.name] for key in shape.find_lists("string")}
            again = dict.fromkeys(shape.find_names("boolean")[:1], True)
            cited: dict[str, Any] = {shape.citing: []} if shape.requires(shape.citing) else {}
            return {shape.texts[0]: passage.plain} | cited | rests | again
        quotes = [dict(zip(pair.quoting, quote, strict=True)) for quote in passage.quotes]
        return {shape.texts[0]: passage.plain, shape.citing: quotes}
    if shape.carrying:
        draft: dict[str, Any] = dict.fromkeys(shape.find_names("integer"), passage.source)
        draft[shape.carrying] = make_statement(shape.properties[shape.carrying], passage)
        about = clip(passage.plain, LABEL_CHARS)
    else:
        draft, about = dict(zip(shape.quoting, passage.quotes[0], strict=True)), passage.plain
    free = [name for name in shape.find_names("string") if name not in draft]
    return draft | dict.fromkeys(free, "") | dict.fromkeys(free[:1], about)
