"""Simplifies Word's XML to visible text: plain paragraphs with numbers, headings and superscripts.

Each pass takes time in proportion to the document.
"""

from collections.abc import Callable, Iterable
from typing import Any

from lxml import etree

from activities.parsing.office.drawing import choose_alternatives, is_large
from activities.parsing.office.package import is_on, read_int, remove
from activities.parsing.office.word.numbering import Numbering
from activities.parsing.office.word.styles import (
    NO_STYLE,
    Style,
    Styles,
    W,
    get_value,
    make_run,
    make_text,
    read_align,
    read_outline,
)
from activities.parsing.office.word.tables import write_tables

_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_PIC = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"

_NOISE = [
    W + name
    for name in (
        *("rPrChange", "pPrChange", "tblPrChange", "tblPrExChange", "trPrChange", "tcPrChange"),
        *("sectPrChange", "tblGridChange", "numberingChange", "proofErr", "permStart", "permEnd"),
        *(
            "bookmarkStart",
            "bookmarkEnd",
            "commentRangeStart",
            "commentRangeEnd",
            "commentReference",
        ),
        *("annotationRef", "lastRenderedPageBreak", "moveFromRangeStart", "moveFromRangeEnd"),
        *("moveToRangeStart", "moveToRangeEnd", "customXmlDelRangeStart", "customXmlDelRangeEnd"),
        *("customXmlInsRangeStart", "customXmlInsRangeEnd", "sdtPr", "sdtEndPr", "smartTagPr"),
        *("customXmlPr", "fldData"),
    )
]
"""Properties from before a change, and invisible marks."""
_WRAPPERS = [
    W + name
    for name in (
        *("ins", "moveTo", "sdt", "sdtContent", "smartTag", "customXml", "fldSimple", "hyperlink"),
        *("dir", "bdo", "rubyBase"),
    )
]
_DELETED = (f"{W}del", f"{W}moveFrom")
_SYMBOL_FONTS = ("symbol", "wingdings", "webdings")

LoadDrawing = Callable[[Any], list[str]]
"""Returns the lines of a chart or diagram that a drawing shows."""


def simplify(root: Any, styles: Styles, numbering: Numbering, load: LoadDrawing) -> int:
    """Simplify a part of a document; return how many of its pictures may contain text.

    Deleted, hidden and struck-out text is removed; wrappers, fields, boxes, lists and tables become text.
    """
    choose_alternatives(root)
    _remove_all([*root.iter(*_NOISE)])
    accept_changes(root)
    for element in [*root.iter(*_WRAPPERS)]:
        _unwrap(element)
    _write_readings(root)
    resolve_fields(root)
    pictures = _place_drawings(root, load)
    for paragraph in root.iter(f"{W}p"):
        _simplify_paragraph(paragraph, styles, numbering)
    write_tables(root)
    for paragraph in root.iter(f"{W}p"):
        _join_runs(paragraph)
    return pictures


def accept_changes(root: Any) -> None:
    """Keep the text as after accepting all changes."""
    for row in [*root.iter(f"{W}trPr")]:
        hidden = row.find(f"{W}hidden")
        if row.find(f"{W}del") is not None or (hidden is not None and is_on(hidden.get(f"{W}val"))):
            remove(row.getparent())
    _remove_all([cell.getparent().getparent() for cell in [*root.iter(f"{W}cellDel")]])
    marks = [mark for mark in root.iter(*_DELETED) if mark.getparent().tag == f"{W}rPr"]
    joined = [mark.getparent().getparent().getparent() for mark in marks]
    _remove_all([each for each in root.iter(*_DELETED) if each.getparent().tag != f"{W}rPr"])
    _join_chains([*dict.fromkeys(each for each in joined if each.tag == f"{W}p")])


def _join_chains(joined: list[Any]) -> None:
    """Move paragraphs with deleted ends to the start of the next paragraph with an end."""
    marked = set(joined)
    chain: list[Any] = []
    for paragraph in joined:
        following = paragraph.getnext()
        is_last = following is None or following.tag != f"{W}p"
        if not is_last:
            chain.append(paragraph)
        if is_last or following not in marked:
            _join(chain, paragraph if is_last else following)
            chain = []


def _join(chain: list[Any], target: Any) -> None:
    content = [each for each in target if each.tag != f"{W}pPr"]
    moved = [each for paragraph in chain for each in paragraph if each.tag != f"{W}pPr"]
    for each in moved:
        if content:
            content[0].addprevious(each)  # takes constant time, unlike `addnext`
        else:
            target.append(each)
    for paragraph in chain:
        remove(paragraph)
    if target.find(f"{W}pPr/{W}rPr/{W}del") is not None and not content and not moved:
        remove(target)


def _write_readings(root: Any) -> None:
    """Write the reading of characters (ruby) after them in brackets."""
    for ruby in [*root.iter(f"{W}ruby")]:
        run = ruby.getparent()
        for reading in [*ruby.iter(f"{W}rt")]:
            text = "".join(each.text or "" for each in reading.iter(f"{W}t"))
            remove(reading)
            run.addnext(make_run(f"({text})"))
        for inner in reversed([*ruby.iter(f"{W}r")]):
            run.addnext(inner)
        remove(ruby)


def resolve_fields(root: Any) -> None:
    """Keep the results of fields and the values of form fields; unterminated fields are ignored."""
    marks = [*root.iter(f"{W}fldChar")]
    paired = _pair_fields(marks)
    instructs: list[bool] = []  # for each open field, whether its instruction is being read
    for run in [*root.iter(f"{W}r")]:
        for child in [*run]:
            if child in paired:
                _follow_field(child, instructs)
            elif child.tag == f"{W}instrText" or (any(instructs) and child.tag != f"{W}rPr"):
                run.remove(child)
    _remove_all(marks)


def _pair_fields(marks: list[Any]) -> set[Any]:
    """Return the marks that begin, divide and end whole fields."""
    begun: list[list[Any]] = []
    paired: set[Any] = set()
    for mark in marks:
        kind = mark.get(f"{W}fldCharType")
        if kind == "begin":
            begun.append([mark])
        elif begun:
            begun[-1].append(mark)
            if kind == "end":
                paired.update(begun.pop())
    return paired


def _follow_field(mark: Any, instructs: list[bool]) -> None:
    kind = mark.get(f"{W}fldCharType")
    if kind == "begin":
        instructs.append(True)
        if value := _read_form_value(mark):
            mark.addnext(make_text(value))
    elif kind == "separate" and instructs:
        instructs[-1] = False
    elif kind == "end" and instructs:
        instructs.pop()


def _read_form_value(begin: Any) -> str:
    """Return what a check box or a list of choices shows, which has no result."""
    if (box := begin.find(f".//{W}checkBox")) is not None:
        state = box.find(f"{W}checked")
        state = box.find(f"{W}default") if state is None else state
        return "☒" if state is not None and is_on(state.get(f"{W}val")) else "☐"
    if (choices := begin.find(f".//{W}ddList")) is not None:
        entries = [each.get(f"{W}val") or "" for each in choices.iter(f"{W}listEntry")]
        chosen = read_int(get_value(choices, "result"), 0)
        return entries[chosen] if 0 <= chosen < len(entries) else ""
    return ""


def _place_drawings(root: Any, load: LoadDrawing) -> int:
    """Insert the text of each box, chart and diagram after the paragraph that contains it."""
    pictures = 0
    drawings = [*root.iter(f"{W}drawing", f"{W}pict", f"{W}object")]
    for drawing in reversed(drawings):  # last and innermost first
        is_picture = drawing.find(f".//{_PIC}pic") is not None
        pictures += is_picture and is_large(drawing.find(f".//{_WP}extent"))
        anchor = next(drawing.iterancestors(f"{W}p"), None)
        if anchor is not None:
            # boxes of drawings within this one have left already
            blocks = [block for box in drawing.iter(f"{W}txbxContent") for block in box]
            blocks += [_make_paragraph(line) for line in load(drawing)]
            for block in reversed(blocks):
                anchor.addnext(block)
        remove(drawing)
    return pictures


def _simplify_paragraph(paragraph: Any, styles: Styles, numbering: Numbering) -> None:
    """Reduce a paragraph to its text, number, heading level and superscripts."""
    about = paragraph.find(f"{W}pPr")
    name = (get_value(about, "pStyle") if about is not None else None) or styles.default
    style = styles.get(name)
    for run in [*paragraph.iterchildren(f"{W}r")]:
        _simplify_run(paragraph, run, style, styles)
    label = _find_label(about, name, style, numbering)
    outline = read_outline(about)
    level = style.level if outline is None else outline
    if about is not None:
        paragraph.remove(about)
    if label:
        paragraph.insert(0, make_run(f"{label} "))
    if level:
        about = etree.Element(f"{W}pPr")
        etree.SubElement(about, f"{W}pStyle").set(f"{W}val", f"Heading{level}")
        paragraph.insert(0, about)


def _find_label(about: Any, name: str, style: Style, numbering: Numbering) -> str:
    num_id, level = style.num_id, style.num_level
    own = about.find(f"{W}numPr") if about is not None else None
    by_style = name if own is None or get_value(own, "ilvl") is None else ""
    if own is not None:
        num_id = get_value(own, "numId") or num_id
        level = read_int(get_value(own, "ilvl"), level)
    return numbering.next_label(num_id, level, by_style) if num_id not in {"", "0"} else ""


def _simplify_run(paragraph: Any, run: Any, around: Style, styles: Styles) -> None:
    """Remove a run that is hidden or struck; leave of its properties what raises it, and fonts of symbols."""
    about = run.find(f"{W}rPr")
    style = styles.get(get_value(about, "rStyle")) if about is not None else NO_STYLE
    if any(_is_toggled(name, about, style, around) for name in ("vanish", "strike", "dstrike")):
        paragraph.remove(run)
        return
    for tab in [*run.iterchildren(f"{W}ptab")]:
        tab.tag = f"{W}tab"
    align = read_align(about) or style.align or around.align
    font = about.find(f"{W}rFonts") if about is not None else None
    is_symbol = font is not None and any(
        value.lower().startswith(_SYMBOL_FONTS) for value in font.attrib.values()
    )
    if about is None and align in {"", "baseline"}:
        return
    kept = etree.Element(f"{W}rPr")
    if is_symbol:
        kept.append(font)
    if align in {"superscript", "subscript"}:
        etree.SubElement(kept, f"{W}vertAlign").set(f"{W}val", align)
    if about is not None:
        run.remove(about)
    if len(kept):
        run.insert(0, kept)


def _is_toggled(name: str, about: Any, style: Style, around: Style) -> bool:
    """Return whether a toggle property is on: set by the run itself, else by exactly one of its two styles."""
    own = about.find(f"{W}{name}") if about is not None else None
    if own is not None:
        return is_on(own.get(f"{W}val"))
    return style.toggles.get(name, False) != around.toggles.get(name, False)


def _join_runs(paragraph: Any) -> None:
    """Join runs of plain text to one: pandoc's time grows with their number."""
    texts: list[str] = []
    first: Any = None
    for run in [*paragraph]:
        if run.tag == f"{W}r" and len(run) == 1 and run[0].tag == f"{W}t":
            texts.append(run[0].text or "")
            if first is None:
                first = run[0]
            else:
                paragraph.remove(run)
            continue
        if first is not None:
            first.text = "".join(texts)
        first, texts = None, []
    if first is not None:
        first.text = "".join(texts)


def _make_paragraph(text: str) -> Any:
    paragraph = etree.Element(f"{W}p")
    paragraph.append(make_run(text))
    return paragraph


def _unwrap(element: Any) -> None:
    """Put what an element holds in its place."""
    for child in [*element]:
        element.addprevious(child)
    remove(element)


def _remove_all(elements: Iterable[Any]) -> None:
    for element in elements:
        remove(element)
