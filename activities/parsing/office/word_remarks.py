"""Comments, headers, footers and watermarks of a Word document."""

from collections.abc import Iterator
from typing import Any

from activities.parsing.document import line
from activities.parsing.office.drawing import choose_alternatives
from activities.parsing.office.package import RELATION_ID, Package, is_on, remove
from activities.parsing.office.word_markup import accept_changes, resolve_fields
from activities.parsing.office.word_styles import W, make_run
from activities.parsing.remarks import MAX_PLACE_CHARS, write_comment, write_margins

_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_W15 = "{http://schemas.microsoft.com/office/word/2012/wordml}"
_TEXT_PATH = "{urn:schemas-microsoft-com:vml}textpath"


def place_comments(root: Any, comments: dict[str, Any], resolved: set[str]) -> None:
    """Insert each comment as a paragraph behind the paragraph or table that it is on."""
    marks = [*root.iter(f"{W}commentReference")]
    ranges = _read_ranges(root) if marks else {}
    for mark in reversed(marks):
        number = mark.get(f"{W}id") or ""
        anchor = _find_block(mark)
        if number not in comments or anchor is None:
            continue
        comment = comments[number]
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
    for reference in [*root.iter(f"{W}headerReference", f"{W}footerReference")]:
        relation = parts.get(reference.get(f"{RELATION_ID}id"))
        target = relation.target if relation else ""
        if target in package and target not in read and _is_shown(reference, package, main):
            read.add(target)
            margin = package.parse(target)
            found["watermark"] += [path.get("string") or "" for path in margin.iter(_TEXT_PATH)]
            _drop_page_numbers(margin)
            found[reference.tag[len(W) : -len("Reference")]] += _list_paragraphs(margin)
    above = write_margins("Watermark", found["watermark"]) + write_margins(
        "Header", found["header"]
    )
    return above, write_margins("Footer", found["footer"])


def _is_shown(reference: Any, package: Package, main: str) -> bool:
    """Return whether a page may show a header: those of first and of even pages have to be switched on."""
    kind = reference.get(f"{W}type")
    if kind == "first":
        switch = reference.getparent().find(f"{W}titlePg")
    elif kind == "even":
        settings = package.find(main, "settings")
        switch = package.parse(settings).find(f"{W}evenAndOddHeaders") if settings else None
    else:
        return True
    return switch is not None and is_on(switch.get(f"{W}val"))


def _find_block(mark: Any) -> Any:
    """Return the outermost table around a mark, else its paragraph."""
    paragraph = next(mark.iterancestors(f"{W}p"), None)
    return next(reversed([*mark.iterancestors(f"{W}tbl")]), paragraph)


def _read_ranges(root: Any) -> dict[str, str]:
    """Return the first words that each comment is on."""
    found: dict[str, str] = {}
    begun: set[str] = set()
    for each in root.iter(f"{W}commentRangeStart", f"{W}commentRangeEnd", f"{W}t"):
        number = each.get(f"{W}id") or ""
        if each.tag == f"{W}commentRangeStart":
            begun.add(number)
        elif each.tag == f"{W}commentRangeEnd":
            begun.discard(number)
        for open_one in [*begun] if each.tag == f"{W}t" else ():
            found[open_one] = found.get(open_one, "") + (each.text or "")
            if len(found[open_one]) > MAX_PLACE_CHARS:
                begun.discard(open_one)
    return found


def _list_paragraphs(root: Any) -> Iterator[str]:
    """Yield the paragraphs of a part as they are after all changes are accepted."""
    choose_alternatives(root)
    accept_changes(root)
    resolve_fields(root)
    for paragraph in root.iter(f"{W}p"):
        own = paragraph.iter(f"{W}t", f"{W}tab", f"{W}br")
        if text := line("".join((each.text or "") if each.tag == f"{W}t" else " " for each in own)):
            yield text


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
