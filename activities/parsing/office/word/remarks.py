"""Comments, headers, footers and watermarks of a Word document."""

from collections.abc import Iterator
from typing import Any

from activities.parsing.comments_headers_footers import (
    MAX_PLACE_CHARS,
    write_comment,
    write_margins,
)
from activities.parsing.document import line
from activities.parsing.office.drawing import choose_alternatives
from activities.parsing.office.package import RELATION_ID, Package, is_on, remove
from activities.parsing.office.word.markup import accept_changes, resolve_fields
from activities.parsing.office.word.styles import W, find_paragraph, make_run

_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_W15 = "{http://schemas.microsoft.com/office/word/2012/wordml}"
_TEXT_PATH = "{urn:schemas-microsoft-com:vml}textpath"


def place_comments(root: Any, comments: dict[str, Any], resolved: set[str]) -> None:
    """Move each comment behind the first paragraph or table that refers to it."""
    choose_alternatives(root)
    anchors: dict[str, Any] = {}
    for mark in root.iter(f"{W}commentReference"):
        number = mark.get(f"{W}id") or ""
        if number in comments and (block := _find_block(mark)) is not None:
            anchors.setdefault(number, block)
    ranges = _read_ranges(root) if anchors else {}
    for number, anchor in reversed(anchors.items()):
        comment = comments.pop(number)
        text = " ".join(_list_paragraphs(comment))
        done = any(p.get(f"{_W14}paraId") in resolved for p in comment.iter(f"{W}p"))
        words = write_comment(
            text, comment.get(f"{W}author") or "", ranges.get(number, ""), is_resolved=done
        )
        if words:
            paragraph = anchor.makeelement(f"{W}p")
            paragraph.append(make_run(words))
            anchor.addnext(paragraph)


def load_comments(package: Package, main: str) -> tuple[dict[str, Any], set[str]]:
    """Return a document's comments by number, and the paragraphs of those that are resolved."""
    part, states = package.find(main, "comments"), package.find(main, "commentsExtended")
    root = package.parse(part) if part else ()
    comments = {each.get(f"{W}id") or "": each for each in root if each.tag == f"{W}comment"}
    about = package.parse(states).iter(f"{_W15}commentEx") if states else ()
    done = {p.get(f"{_W15}paraId") for p in about if is_on(p.get(f"{_W15}done"), missing=False)}
    return comments, done


def read_margins(package: Package, main: str, root: Any) -> tuple[list[str], list[str]]:
    """Return the lines that stand above a document's text, headers and watermarks, and those below it."""
    found: dict[str, list[str]] = {"header": [], "footer": [], "watermark": []}
    parts, read = package.relate(main), set[str]()
    for reference in _list_shown(package, main, root):
        relation = parts.get(reference.get(f"{RELATION_ID}id"))
        target = relation.target if relation else ""
        if target in package and target not in read:
            read.add(target)
            margin = package.parse(target)
            found["watermark"] += [path.get("string") or "" for path in margin.iter(_TEXT_PATH)]
            _drop_page_numbers(margin)
            found[reference.tag[len(W) : -len("Reference")]] += _list_paragraphs(margin)
    above = write_margins("Watermark", found["watermark"]) + write_margins(
        "Header", found["header"]
    )
    return above, write_margins("Footer", found["footer"])


def _list_shown(package: Package, main: str, root: Any) -> list[Any]:
    """Return the references to headers that a page may show: those of first and of even pages have to be switched on."""
    references = [*root.iter(f"{W}headerReference", f"{W}footerReference")]
    titled = {each.getparent() for each in root.iter(f"{W}titlePg") if is_on(each.get(f"{W}val"))}
    shows_even = False
    if any(each.get(f"{W}type") == "even" for each in references):
        settings = package.find(main, "settings")
        switch = package.parse(settings).find(f"{W}evenAndOddHeaders") if settings else None
        shows_even = switch is not None and is_on(switch.get(f"{W}val"))
    return [
        each
        for each in references
        if {"first": each.getparent() in titled, "even": shows_even}.get(each.get(f"{W}type"), True)
    ]


def _find_block(mark: Any) -> Any:
    """Return the outermost table around a mark, else its paragraph."""
    return next(reversed([*mark.iterancestors(f"{W}tbl")]), find_paragraph(mark))


def _read_ranges(root: Any) -> dict[str, str]:
    """Return the first words that each comment is on."""
    starts: dict[str, int] = {}
    ends: dict[str, int] = {}
    texts: list[str] = []
    length = 0
    for each in root.iter(f"{W}commentRangeStart", f"{W}commentRangeEnd", f"{W}t"):
        if each.tag == f"{W}t":
            texts.append(each.text or "")
            length += len(texts[-1])
        else:
            places = starts if each.tag == f"{W}commentRangeStart" else ends
            places.setdefault(each.get(f"{W}id") or "", length)
    joined = "".join(texts)
    most = 2 * MAX_PLACE_CHARS  # some may be blanks
    return {
        number: joined[start : min(start + most, ends.get(number, length))]
        for number, start in starts.items()
    }


def _list_paragraphs(root: Any) -> Iterator[str]:
    """Yield the paragraphs of a part as they are after all changes are accepted."""
    choose_alternatives(root)
    accept_changes(root)
    resolve_fields(root)
    texts: dict[Any, list[str]] = {paragraph: [] for paragraph in root.iter(f"{W}p")}
    for each in root.iter(f"{W}t", f"{W}tab", f"{W}br"):
        if (around := find_paragraph(each)) in texts:  # the innermost: a box's text is not its own
            texts[around].append((each.text or "") if each.tag == f"{W}t" else " ")
    yield from filter(None, (line("".join(pieces)) for pieces in texts.values()))


def _drop_page_numbers(root: Any) -> None:
    """Remove fields that number pages: they say nothing of the document."""
    for field in [*root.iter(f"{W}fldSimple")]:
        if "PAGE" in (field.get(f"{W}instr") or "").upper():
            remove(field)
    depth, is_number = 0, False
    for run in [*root.iter(f"{W}r")]:
        mark = run.find(f"{W}fldChar")
        kind = mark.get(f"{W}fldCharType") if mark is not None else ""
        depth += (kind == "begin") - (kind == "end")
        is_number = depth > 0 and (
            is_number or any("PAGE" in (t.text or "") for t in run.iter(f"{W}instrText"))
        )
        if is_number:
            for text in [*run.iter(f"{W}t")]:
                run.remove(text)
