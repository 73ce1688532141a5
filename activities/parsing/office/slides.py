"""Presentations: each slide that is shown as a section, its shapes in the order of their places, and its notes."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from activities.parsing.comments_headers_footers import write_comment
from activities.parsing.document import Parsed, Unreadable, line, list_unread, row, tidy
from activities.parsing.document_metadata import clean_title
from activities.parsing.markup_text import list_headings
from activities.parsing.office.drawing import (
    A,
    choose_alternatives,
    is_large,
    list_drawn_lines,
    read_paragraph,
)
from activities.parsing.office.package import RELATION_ID, Package, is_on, read_int
from contracts.documents import UnreadPart
from contracts.evidence.read_failures import FormatName
from contracts.media_types import PPTX

_FORMAT: FormatName = "slides"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_SHAPES = tuple(f"{_P}{name}" for name in ("sp", "grpSp", "graphicFrame", "pic"))
_TITLES = frozenset(["title", "ctrTitle"])
_FOOTERS = frozenset(["ftr", "dt", "hdr"])
_FAR = 10**12


class _Deck:
    """Reads the slides of a presentation."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._footers: set[str] = set()
        self._main = package.find("", "officeDocument") or "ppt/presentation.xml"
        self._places: dict[str, dict[str, tuple[int, int]]] = {}
        self.title = ""
        self.hidden: list[str] = []
        self.pictures = 0

    def read_slides(self) -> Iterator[str]:
        """Yield the lines of all slides that are shown, in their order."""
        relations = self._package.relate(self._main)
        root = self._package.parse(self._main)
        for number, each in enumerate(root.iter(f"{_P}sldId"), start=1):
            relation = relations.get(each.get(f"{RELATION_ID}id"))
            if relation is None or relation.target not in self._package:
                continue
            slide = self._package.parse(relation.target)
            choose_alternatives(slide)
            if not is_on(slide.get("show")):
                self.hidden.append(str(number))
            else:
                yield from self._read_slide(slide, relation.target, number)

    def _read_slide(self, slide: Any, part: str, number: int) -> Iterator[str]:
        tree = slide.find(f".//{_P}spTree")
        shapes = [] if tree is None else [*self._order(tree, part)]
        title = ""
        for shape in shapes:
            if not title and _get_kind(shape) in _TITLES:
                title = line(" ".join(_read_text(shape)))
        self.title = self.title or title
        yield from ("", f"# Slide {number}: {title}" if title else f"# Slide {number}", "")
        for shape in shapes:
            if _get_kind(shape) not in _TITLES or line(" ".join(_read_text(shape))) != title:
                yield from self._read_shape(shape, part)
        notes = self._package.find(part, "notesSlide")
        said = [*_read_notes(self._package.parse(notes))] if notes else []
        if said:
            yield from ("", f"Notes: {said[0]}", *said[1:])
        if comments := [*self._list_comments(part)]:
            yield from ("", *comments)

    def _list_comments(self, part: str) -> Iterator[str]:
        """Yield a slide's comments and the replies to them, of PowerPoint's older and newer form."""
        found = [
            each.target for each in self._package.relate(part).values() if each.kind == "comments"
        ]
        for target in found:
            for each in (
                self._package.parse(target).iter("{*}cm", "{*}reply")
                if target in self._package
                else ()
            ):
                texts = [text.text or "" for text in each.iterchildren("{*}text")]
                for body in each.iterchildren("{*}txBody"):
                    texts += [read_paragraph(paragraph) for paragraph in body.iter(f"{A}p")]
                author = self._authors.get(each.get("authorId"), "")
                is_resolved = each.get("status") == "resolved"
                yield write_comment(" ".join(texts), author, is_resolved=is_resolved)

    @cached_property
    def _authors(self) -> dict[str, str]:
        parts = [self._package.find(self._main, kind) for kind in ("commentAuthors", "authors")]
        roots = [self._package.parse(part) for part in parts if part]
        return {each.get("id"): each.get("name") or "" for root in roots for each in root}

    def _order(self, tree: Any, part: str) -> Iterator[Any]:
        """Yield the shapes of a slide or a group, from the top to the bottom and from left to right."""
        layout = self._package.find(part, "slideLayout") if part else ""
        if layout and layout not in self._places:
            self._places[layout] = _list_places(self._package.parse(layout))
        places = self._places.get(layout, {})
        shown = [shape for shape in tree.iterchildren(*_SHAPES) if not _is_hidden(shape)]
        keyed = [(_find_place(shape, places), n) for n, shape in enumerate(shown)]
        for _, n in sorted(keyed):
            yield shown[n]

    def _read_shape(self, shape: Any, part: str) -> Iterator[str]:
        """Yield the lines of a shape; a group's shapes are ordered by position."""
        kind = _get_kind(shape)
        if shape.tag == f"{_P}grpSp":
            for inner in self._order(shape, ""):
                yield from self._read_shape(inner, part)
        elif shape.tag == f"{_P}graphicFrame":
            yield from (text for table in shape.iter(f"{A}tbl") for text in _write_table(table))
            yield from list_drawn_lines(shape, self._package, part)
        elif shape.tag == f"{_P}pic":
            self.pictures += is_large(next(shape.iter(f"{A}ext"), None))
        elif shape.tag == f"{_P}sp" and kind != "sldNum":
            lines = [*_read_text(shape)]
            if kind in _FOOTERS and " ".join(lines) in self._footers:
                return
            if kind in _FOOTERS:
                self._footers.add(" ".join(lines))
            yield from lines


def read_slides(body: bytes) -> Parsed:
    """Return the slides of a presentation that are shown, and what the speaker notes of each."""
    package = Package(body, _FORMAT)
    deck = _Deck(package)
    lines = [*deck.read_slides()]
    if not any(text and not text.startswith("# ") for text in lines) and not deck.title:
        raise Unreadable("no_text_in", format=_FORMAT)
    text, about = tidy("\n".join(lines)), package.core
    unread = list_unread("slides_hidden", deck.hidden)
    if deck.pictures:
        unread.append(UnreadPart(code="images", count=deck.pictures))
    return Parsed(
        text,
        PPTX,
        title=clean_title(line(about.get("title"))) or deck.title,
        author=line(about.get("author")),
        published=about.get("published") or None,
        sections=list_headings(text),
        unread=tuple(unread),
    )


def _is_hidden(shape: Any) -> bool:
    about = next(shape.iter(f"{_P}cNvPr"), None)
    return about is not None and is_on(about.get("hidden"), missing=False)


def _get_kind(shape: Any) -> str:
    """Return a shape's placeholder type, such as `title` or `body`; empty if it is not a placeholder."""
    holder = shape.find(f"./*/{_P}nvPr/{_P}ph")
    kind: str = "" if holder is None else holder.get("type", "obj")
    return kind


def _list_places(layout: Any) -> dict[str, tuple[int, int]]:
    """Return where a layout has its placeholders, by their kinds and by their numbers."""
    found = {}
    for shape in layout.iter(f"{_P}sp"):
        holder = shape.find(f"./*/{_P}nvPr/{_P}ph")
        place = _read_place(shape)
        if holder is not None and place is not None:
            found[f"#{holder.get('idx', '0')}"] = place
            found.setdefault(holder.get("type", "obj"), place)
    return found


def _find_place(shape: Any, places: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """Return top and left of a shape, or those of its placeholder in the layout; else the end."""
    if (own := _read_place(shape)) is not None:
        return own
    holder = shape.find(f"./*/{_P}nvPr/{_P}ph")
    if holder is None:
        return (_FAR, 0)
    by_number = places.get(f"#{holder.get('idx', '0')}")
    return by_number or places.get(holder.get("type", "obj"), (_FAR, 0))


def _read_place(shape: Any) -> tuple[int, int] | None:
    offset = next(shape.iter(f"{A}off"), None)
    if offset is None:
        return None
    return read_int(offset.get("y")), read_int(offset.get("x"))


def _read_text(shape: Any) -> Iterator[str]:
    """Yield the paragraphs of a shape, numbered where they are."""
    number = 0
    for paragraph in shape.iterfind(f"{_P}txBody/{A}p"):
        text = read_paragraph(paragraph)
        numbered = paragraph.find(f"{A}pPr/{A}buAutoNum")
        number = 0 if numbered is None else number + 1
        if numbered is not None and text:
            start = read_int(numbered.get("startAt")) or 1
            text = f"{start + number - 1}. {text}"
        if text:
            yield from text.split("\n")


def _read_notes(notes: Any) -> Iterator[str]:
    for shape in notes.iter(f"{_P}sp"):
        if _get_kind(shape) == "body":
            yield from _read_text(shape)


def _write_table(table: Any) -> Iterator[str]:
    """Yield the rows of a table; a merged cell is repeated in its rows, and in its columns in the first."""
    above: list[str] = []
    for number, each in enumerate(table.iterchildren(f"{A}tr")):
        cells: list[str] = []
        for column, cell in enumerate(each.iterchildren(f"{A}tc")):
            text = " ".join(filter(None, (read_paragraph(p) for p in cell.iter(f"{A}p"))))
            if is_on(cell.get("vMerge"), missing=False) and column < len(above):
                text = above[column]
            elif is_on(cell.get("hMerge"), missing=False) and cells:
                text = cells[-1] if number == 0 else ""
            cells.append(text)
        above = cells
        if any(cells):
            yield row(cells)
