"""Notes of a report: each quote, computation, basis and doubt once, numbered as they are first named.

An edit renumbers no note: a report that was edited keeps the order of its notes (`Report.note_order`), and new ones follow.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial

from contracts.documents import PAGE_BREAK
from contracts.evidence.claims import Citation, Claim, HandEdit, Verdict
from contracts.evidence.reasons import join_reasons
from contracts.evidence.sources import FoundPage
from contracts.media_types import PDF
from contracts.report.document import (
    LOOKS,
    Basis,
    Doubt,
    Mark,
    MarkCode,
    Note,
    Quote,
    Sentence,
    Working,
)
from contracts.report.report import Report
from contracts.words import Language, say, write_digits
from domain.evidence.conclusions import is_sum
from domain.evidence.normal_forms import spell_words
from domain.evidence.sentences import end_sentence
from domain.report.changes.patches import build_grid
from domain.report.claims.report_claims import list_claims, name_cell
from domain.report.context import ReportContext
from domain.report.parts.source_links import find_page_address
from domain.text_matching.word_stems import list_stems

DERIVED: Set[MarkCode] = {"judged", "judged_assumed"}
ASSUMED: Set[MarkCode] = {"assumed", "judged_assumed"}
"""The marks of conclusions."""
DOUBTS: dict[Verdict | None, MarkCode] = {
    "partly": "partly",
    "not_shown": "not_shown",
    "contradicted": "contradicted",
    None: "not_judged",
}
"""Mark codes by verdict. A supported claim has no mark."""
PLACE = {"source", "start", "end", "page"}
"""Fields of a `Citation` that its `Quote` note takes over unchanged."""
_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_TIMES = re.compile(r"(?<!\*)\*(?!\*)")
_ABBREVIATED = ("n/a", "k. A.")
"""Abbreviations with which models mark a cell without data."""


class NoteBook:
    """Builds the sentences of a report, and numbers what they rest on in reading order.

    Notes that only other notes name follow all those of the text.
    """

    def __init__(self, report: Report, context: ReportContext) -> None:
        self.notes: list[Note] = []
        self.cited: dict[int, None] = {}
        """The numbers of the sources that are quoted."""
        self.names_sheets = False
        """Whether a quote's PDF page is shown."""
        self.has_conclusions = False
        """Whether a sentence was built that is concluded from others."""
        self.has_computations = False
        """Whether a sentence was built that is computed."""
        self.has_assumptions = False
        """Whether a sentence was built that is an assumption or rests on one."""
        self._sources = context.sources
        self._language = context.language
        self._numbers = {name: n for n, name in enumerate(report.note_order, start=1)}
        self._builds: list[Callable[[], Note] | None] = [None] * len(self._numbers)
        """The builder of each numbered note; None while nothing has named one that readers saw before."""
        self._is_judged = report.claims_unjudged is not None
        self._refused = {(one.row, one.column): one for one in report.refused_cells}
        self._told = {gap.place: gap for gap in report.gaps if gap.verdict == "told"}
        """Lines on what was not found that the report answers after all, by heading or cell."""
        self._unopened = {gap.line: gap.not_opened for gap in report.gaps if gap.not_opened}
        """Pages that were found and not opened, by the line that they may answer."""
        told = list_claims(report)
        given = report.list_given(context.language)
        self._ids = {claim.id for claim in (*told, *given)}
        self._said = {statement.id for statement in report.statements}
        placed = [*enumerate(told if report.searches is not None else (), 1)]
        self._places = {claim.key: n for n, claim in reversed(placed)}
        """The numbers of a finished report's claims, by their keys: the first one's of equal claims."""
        self._named = _index_bases(report, given)

    def build_notes(self) -> list[Note]:
        """Build the notes that the text has named and those that they name; called once the text is built.

        A note that an edit has left without a sentence says so in its place, unless it is the last.
        """
        built: dict[int, Note] = {}
        while ready := [
            (n, build) for n, build in enumerate(self._builds) if build and n not in built
        ]:
            built |= {n: build() for n, build in ready}
        code: MarkCode = "note_gone"
        label = capitalize(label_mark(code, self._language))
        gone = Doubt(code=code, label=label, text=say(self._language, "note-gone"))
        self.notes = [built.get(n, gone) for n in range(max(built, default=-1) + 1)]
        return self.notes

    @property
    def order(self) -> list[str]:
        """The names of all notes by their numbers, those that nothing names any more included."""
        return list(self._numbers)

    def build_sentence(self, claim: Claim) -> Sentence:
        """Return a claim as a sentence of a paragraph, with its end."""
        sentence = self._build(claim, self._number_quotes)
        marks = list(self._place_marks(sentence))
        text = claim.text[claim.lead_chars :].strip()
        update = {
            "text": end_sentence(text),
            "marks": marks,
            "opens": claim.opens,
            "lead": claim.lead,
        }
        return sentence.model_copy(update=update)

    def _place_marks(self, sentence: Sentence) -> Iterator[Mark]:
        """Yield a sentence's marks, those of a conclusion and of assumptions as words about its notes: “[from 2–4]”."""
        codes = {mark.code for mark in sentence.marks}
        self.has_assumptions |= bool(codes & ASSUMED)
        for mark in sentence.marks:
            if mark.code in DERIVED:
                self.has_conclusions = True
                label = say(self._language, "concluded-from") if sentence.notes else ""
                yield mark.model_copy(update={"label": label, "position": "before_notes"})
            elif mark.code != "assumed":
                yield mark
        if codes & ASSUMED:
            label = say(self._language, "with-assumption")
            yield Mark(code="assumed", look=LOOKS["assumed"], label=label, position="after_notes")

    def list_assumed(self, claims: Sequence[Claim]) -> list[str]:
        """Return the assumptions that some claims rest on, directly or by others, each once and with its end."""
        names = dict.fromkeys(name for claim in claims for name in claim.rests_on)
        found = dict[str, None]()
        queue = [*names]
        for name in queue:  # grows by what these rest on
            base = self._named.get(name)
            if base and base.kind == "assumed":
                found[end_sentence(base.text)] = None
            elif base:
                queue += [each for each in base.rests_on if each not in names]
                names |= dict.fromkeys(base.rests_on)
        return [*found]

    def build_cell(self, claim: Claim, row: str) -> Sentence:
        """Return a table cell with one note for its quotes, or with a note on the gap if nothing was found."""
        cell = self._build(claim, self._number_group)
        self.has_assumptions |= any(mark.code in ASSUMED for mark in cell.marks)
        if claim.kind != "not_found":
            return cell
        lack = Mark(code="not_found", look=LOOKS["not_found"])
        note = self._number_doubt("not_found", self._name_lack(claim.text, row))
        notes = [note] if note else []
        update = {
            "text": say(self._language, "no-data"),
            "notes": notes,
            "marks": [lack, *cell.marks],
        }
        return cell.model_copy(update=update)

    def build_empty(self, row: str, column: str) -> Sentence | None:
        """Return an empty cell with its reason: its figure was refused, or a page states it elsewhere.

        Return None if no reason is known.
        """
        if cell := self._refused.get((row, column)):
            reason = join_reasons(cell.doubts, self._language) or cell.reason
            return Sentence(text="–", marks=[self.mark_doubt("refused", reason)])
        if gap := self._told.get(name_cell(row, column)):
            quotes = " / ".join(part_cells(found.quote) for found in gap.found)
            return Sentence(text="–", marks=[self.mark_doubt("told_elsewhere", quotes)])
        return None

    def _name_lack(self, text: str, row: str) -> str:
        """Return what was not found for a row: a cell's words, preceded by the row's name if they lack it."""
        if list_stems(text) & list_stems(row):
            return text
        own = (say(self._language, "no-data"), label_mark("not_found", self._language))
        says_nothing = spell_words(text) in map(spell_words, (*own, *_ABBREVIATED))
        return row if says_nothing else f"{row}: {text}"

    def _build(self, claim: Claim, number_quotes: Callable[[Claim], list[int]]) -> Sentence:
        """Return a claim as written, with the numbers of its notes and its marks."""
        bases = [self._named[name] for name in claim.rests_on if name in self._named]
        is_computed = is_sum(claim, bases)
        is_said = claim.repeats and bool(bases) and all(base.id in self._said for base in bases)
        is_judged = claim.kind == "concluded" and not is_computed and not is_said
        is_opening = is_judged and _sums_up_part(claim, bases)
        self.has_computations |= bool(claim.working)
        if claim.working:
            notes = [self._number_working(claim, bases, "basis-sum" if is_computed else "basis")]
        else:
            is_shown = is_judged and not is_opening
            basis = self._number_basis(claim, bases, "basis") if is_shown else []
            basis = [*map(self._number_statement, bases)] if is_said else basis
            notes = [*number_quotes(claim), *basis]
        return Sentence(
            text=claim.text,
            notes=notes,
            marks=list(self._mark(claim, bases, is_judged and not is_opening)),
            number=self._places.get(claim.key) if self._places else None,
            edit=claim.edit,
        )

    def _mark(self, claim: Claim, bases: Sequence[Claim], is_judged: bool) -> Iterator[Mark]:
        """Yield a claim's marks; a mark without a label shows by a conclusion's style, or by a computation's note."""
        if claim.kind == "assumed":
            yield self.mark("assumption")
        if claim.kind == "not_found" and claim.text in self._unopened:
            yield self.mark_unopened(self._unopened[claim.text])
        if is_judged:
            yield self.mark("judged_assumed") if claim.assumed else _hide_label(self.mark("judged"))
        if claim.working:
            mark = self.mark(_name_sum(claim))
            yield _hide_label(mark) if mark.code == "computed" else mark
        if new := self._named.get(claim.superseded_by):
            build = partial(self._list_bases, [new], "superseded")
            yield self.mark("superseded", self._number(("superseded", new.id), build))
        yield from self._mark_bases(claim, bases)
        if edit := claim.edit:
            yield self._mark_edit(claim, edit)
        doubt = DOUBTS.get(claim.verdict)
        if claim.check:
            yield self.mark("being_checked")
        elif edit and claim.verdict is None:
            return
        elif doubt and (claim.verdict or self._is_judged):
            yield self.mark_doubt(doubt, self._tell_reason(claim))

    def _mark_bases(self, claim: Claim, bases: Sequence[Claim]) -> Iterator[Mark]:
        """Yield marks if a sentence that the claim rests on was reworded or removed since."""
        if any(base.edit and _is_older(claim, base.edit) for base in bases):
            yield self.mark("basis_edited")
        if not self._ids.issuperset(claim.rests_on):
            yield self.mark("basis_gone")

    def _mark_edit(self, claim: Claim, edit: HandEdit) -> Mark:
        """Return the mark of a sentence in its reader's words, with a note of its first wording."""
        former = edit.former.text
        told = say(self._language, "edited-by", by=edit.by, day=edit.at[:10], former=former)
        unchecked = "" if claim.verdict else self._tell_reason(claim)
        code: MarkCode = "edited" if claim.verdict else "edited_unchecked"
        return self.mark_doubt(code, " ".join(filter(None, [told, unchecked])))

    def mark(self, code: MarkCode, note: int | None = None) -> Mark:
        """Return a mark with its label."""
        label = label_mark(code, self._language)
        return Mark(code=code, look=LOOKS[code], label=label, note=note)

    def mark_doubt(self, code: MarkCode, reason: str) -> Mark:
        """Return a mark, with a note if there is a reason."""
        return self.mark(code, self._number_doubt(code, reason))

    def mark_unopened(self, pages: Sequence[FoundPage]) -> Mark:
        """Return the mark of what was not found while pages on it were not opened, with a note of their titles and URLs."""
        names = (f"{page.title} ({page.url})" if page.title else page.url for page in pages)
        return self.mark_doubt("not_opened", "; ".join(names))

    def place_passage(self, number: int, page: int | None, breaks: int) -> tuple[str, str]:
        """Return the label and URL of a passage's page, and count the source as cited.

        `breaks` is the number of page breaks within the passage.
        """
        self.cited[number] = None
        if page is None:
            return "", ""
        words = say(self._language, "page", n=f"{page}–{page + breaks}" if breaks else page)
        if not 0 < number <= len(self._sources):
            return words, ""
        source = self._sources[number - 1]
        self.names_sheets |= source.content_type == PDF
        return words, find_page_address(number, source, page)

    def _number_quotes(self, claim: Claim) -> list[int]:
        """Return the numbers of a claim's quotes; the same passage has one."""
        numbers = []
        for cited in claim.citations:
            breaks = cited.quote.count(PAGE_BREAK)
            place, address = self.place_passage(cited.source, cited.page, breaks)
            quote = Quote(
                text=part_cells(cited.quote),
                above=list(map(part_cells, cited.above)),
                place=place,
                address=address,
                **cited.model_dump(include=PLACE),
            )
            key = (quote.source, quote.text, quote.page, quote.lead)
            numbers.append(self._number(key, partial(_keep, quote)))
        return list(dict.fromkeys(numbers))

    def _number_group(self, claim: Claim) -> list[int]:
        """Return the number of one note for all of a claim's quotes."""
        passages = dict.fromkeys(map(_place, claim.citations))
        if len(passages) < 2:
            return self._number_quotes(claim)
        return [self._number(("group", *passages), partial(self._group, claim))]

    def _group(self, claim: Claim) -> Basis:
        """Return a note of all of a claim's quotes."""
        quoted = Sentence(text="", notes=self._number_quotes(claim))
        return Basis(label=say(self._language, "basis-sum"), sentences=[quoted])

    def _number_working(self, claim: Claim, bases: Sequence[Claim], basis: str) -> int:
        """Return the number of a computed figure's arithmetic, with the quotes and the sentences it is from.

        The same sum of the same passages has one note.
        """
        places = sorted(set(map(_place, claim.citations)))
        key = ("working", claim.working, *claim.rests_on, *places)

        def build() -> Working:
            quotes = self._number_quotes(claim)
            return Working(
                label=capitalize(label_mark(_name_sum(claim), self._language)),
                expression=write_working(claim.working, self._language),
                quotes=[*quotes, *self._number_basis(claim, bases, basis)],
            )

        return self._number(key, build)

    def _number_basis(self, claim: Claim, bases: Sequence[Claim], code: str) -> list[int]:
        """Return the number of the note that lists a claim's premises; empty without premises."""
        first = claim.edit.former.text if claim.edit else claim.text
        key = ("basis", code, first if code == "basis" else "", *claim.rests_on)
        return [self._number(key, partial(self._list_bases, bases, code))] if bases else []

    def _list_bases(self, bases: Sequence[Claim], code: str) -> Basis:
        return Basis(label=say(self._language, code), sentences=[*map(self._build_base, bases)])

    def _build_base(self, claim: Claim) -> Sentence:
        """Return what a conclusion rests on; the client's words by the number of their note, as they may be long."""
        if claim.id in self._said:
            lead = f"{say(self._language, 'basis-said')}:"
            return Sentence(text="", lead=lead, notes=[self._number_statement(claim)])
        return self.build_sentence(claim)

    def _number_statement(self, claim: Claim) -> int:
        """Return the number of the note that shows what the client said, once for all that rests on it."""
        label = say(self._language, "basis-said")
        said = Basis(label=label, sentences=[Sentence(text=end_sentence(claim.text))])
        return self._number(("said", claim.id), partial(_keep, said))

    def _tell_reason(self, claim: Claim) -> str:
        """Return why a claim does not hold, in the report's language; as it was written where no code says it."""
        return join_reasons(claim.doubts, self._language) or claim.reason

    def _number_doubt(self, code: MarkCode, reason: str) -> int | None:
        label = capitalize(label_mark(code, self._language))
        doubt = Doubt(code=code, label=label, text=reason)
        return self._number((code, reason), partial(_keep, doubt)) if reason.strip() else None

    def _number(self, key: tuple[object, ...], build: Callable[[], Note]) -> int:
        """Return a note's number; the note is built later, so that the text's notes come first."""
        name = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        if name not in self._numbers:
            self._builds.append(None)
            self._numbers[name] = len(self._builds)
        number = self._numbers[name]
        self._builds[number - 1] = self._builds[number - 1] or build
        return number


def _index_bases(report: Report, given: Sequence[Claim]) -> dict[str, Claim]:
    """Return what sentences may rest on by its id; an id that several sentences have names none."""
    claims = [*_name_cells(report), *(c for part in report.sections for c in part.claims)]
    counts = Counter(claim.id for claim in claims)
    own = {claim.id: claim for claim in claims if claim.id and counts[claim.id] == 1}
    return own | {claim.id: claim for claim in given if not counts[claim.id]}


def _hide_label(mark: Mark) -> Mark:
    return mark.model_copy(update={"label": ""})


def _name_sum(claim: Claim) -> MarkCode:
    return "assumed" if claim.assumed else "computed"


def _is_older(claim: Claim, edit: HandEdit) -> bool:
    """Return True if the claim has had its present wording since before the edit of another claim."""
    return claim.edit is None or claim.edit.at < edit.at


def _place(citation: Citation) -> tuple[int, int, str]:
    return citation.source, citation.start, citation.quote


def _keep(note: Note) -> Note:
    return note


def part_cells(text: str) -> str:
    """Return a passage unchanged; a table's rows without the bars around their cells."""
    rows = [line.strip() for line in text.splitlines()]
    if not all(row.startswith("|") and row.endswith("|") for row in rows):
        return text
    return " / ".join(row.strip("| ") for row in rows)


def write_working(working: str, language: Language) -> str:
    """Return arithmetic as a language writes it; where commas are decimal, semicolons part arguments."""
    told = _TIMES.sub("×", working)
    if language == "en":
        return told
    parted = told.replace(", ", "; ")
    return _DIGITS.sub(lambda number: write_digits(language, number[0]), parted)


def label_mark(code: MarkCode, language: Language) -> str:
    """Return the words of a mark."""
    return say(language, f"mark-{code}")


def capitalize(text: str) -> str:
    """Return a text that begins with a capital; the rest stays."""
    return text[:1].upper() + text[1:]


def _sums_up_part(claim: Claim, bases: Sequence[Claim]) -> bool:
    """Return whether a conclusion that holds only sums up its own paragraph, whose sentences show what it rests on."""
    part = claim.part and claim.part.number
    is_own = bool(part) and all(base.part and base.part.number == part for base in bases)
    return claim.is_supported and is_own and len(bases) == len(claim.rests_on)


def _name_cells(report: Report) -> Iterator[Claim]:
    """Yield the claims of a report's comparison, each with its row and column."""
    for row, cells in build_grid(report.comparison).items():
        for column, claim in cells.items():
            if claim:
                yield claim.model_copy(update={"text": f"{row}, {column}: {claim.text}"})
