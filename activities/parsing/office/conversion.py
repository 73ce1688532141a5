"""Documents that pandoc reads as HTML, and their text."""

from collections.abc import Callable
from typing import Any

from activities.confined.pandoc_process import PandocFailed
from activities.parsing.document import Unreadable
from activities.parsing.html.tree.context import replace_by_text
from activities.parsing.markup_text import parse_markup, read_tree
from contracts.evidence.read_failures import FormatName


def convert_to_text(convert: Callable[[bytes], bytes], body: bytes, format: FormatName) -> str:
    """Return a document's text; `convert` gives its HTML, as `start_pandoc` makes it.

    Raises:
        Unreadable: pandoc cannot read it, or not within its bounds, or finds no text.
    """
    try:
        html = convert(body)
    except PandocFailed as error:
        raise Unreadable("broken_or_complex", format=format) from error
    tree = parse_markup(html)
    write_notes(tree)
    text = read_tree(tree)
    if not text:
        raise Unreadable("no_text_in", format=format)
    return text


def write_notes(tree: Any) -> None:
    """Write the marks of notes as `[1]`, and the notes as paragraphs that begin with theirs."""
    for link in tree.xpath("//a[@role='doc-noteref']"):
        replace_by_text(link, f" [{''.join(link.itertext())}]")
    for link in tree.xpath("//a[@role='doc-backlink']"):
        link.drop_tree()
    for note in tree.xpath("//section[@role='doc-endnotes']/ol/li"):
        number = (note.get("id") or "").removeprefix("fn")
        first = note[0] if len(note) and note[0].tag == "p" else note
        first.text = f"[{number}] {first.text or ''}"
        note.tag, note.getparent().tag = "div", "div"
