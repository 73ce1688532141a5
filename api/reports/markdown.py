"""Markdown parsers of reports: citations link to their notes, tables have captions."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from domain.report.links import is_allowed, is_chart

MAX_HINT_CHARS = 500
"""Limit of what is shown of a note where it is pointed at."""
MAX_HINTS_CHARS = 200_000
"""Limit of all that is shown so in a report, which may cite a note any number of times."""
_CITATION = re.compile(r"\[([1-9][0-9]{0,3})\]")


def _link_citations(state: StateCore) -> None:
    """Turn citations into links, while escaped brackets can still be recognised."""
    notes = _anchor_notes(state.tokens)
    hints = _Hints(notes)
    for inline in state.tokens:
        if inline.type != "inline":
            continue
        linked: list[Token] = []
        depth = 0
        for token in inline.children or []:
            depth += token.nesting if token.type in {"link_open", "link_close"} else 0
            is_text = token.type == "text" and not depth
            linked += _split_citations(token.content, hints) if is_text else [token]
        inline.children = linked


def _anchor_notes(tokens: list[Token]) -> list[str]:
    """Give each note, an item of the report's last numbered list, its anchor; return their texts."""
    starts = [n for n, t in enumerate(tokens) if t.type == "ordered_list_open" and not t.level]
    notes: list[str] = []
    for at in range(starts[-1] if starts else len(tokens), len(tokens)):
        token = tokens[at]
        if token.type == "ordered_list_close" and not token.level:
            break
        if token.type == "list_item_open" and token.level == 1:
            inline = next((t for t in tokens[at + 1 : at + 3] if t.type == "inline"), None)
            notes.append("".join(part.content for part in (inline and inline.children) or ()))
            token.attrSet("id", note_anchor(len(notes)))
    return notes


def note_anchor(number: int) -> str:
    """Return the anchor of the nth note."""
    return f"note_{number}"


class _Hints:
    """The notes' texts where they are cited, until these are `MAX_HINTS_CHARS` long in all."""

    def __init__(self, notes: list[str]) -> None:
        self.count = len(notes)
        self._texts = [note[:MAX_HINT_CHARS] for note in notes]
        self._left = MAX_HINTS_CHARS

    def take(self, number: int) -> str:
        """Return the nth note's text; empty once the limit is reached."""
        text = self._texts[number - 1]
        self._left -= len(text)
        return text if self._left >= 0 else ""


def _split_citations(text: str, hints: _Hints) -> Iterator[Token]:
    end = 0
    for found in _CITATION.finditer(text):
        number = int(found[1])
        if number <= hints.count:
            yield _text_token(text[end : found.start()])
            attrs: dict[str, str | int | float] = {
                "href": f"#{note_anchor(number)}",
                "data-note": hints.take(number),
            }
            yield Token("link_open", "a", 1, attrs=attrs, meta={"note": number})
            yield _text_token(found[0])
            yield Token("link_close", "a", -1)
            end = found.end()
    yield _text_token(text[end:])


def _text_token(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _drop_foreign(state: StateCore) -> None:
    """Keep the words alone of an image that the run does not keep, and of a link that leads nowhere."""
    for inline in state.tokens:
        inline.children = inline.children and list(_keep_own(inline.children))


def _keep_own(tokens: list[Token]) -> Iterator[Token]:
    leads = True
    for token in tokens:
        if token.type == "link_open":
            leads = bool(token.attrs["href"])
        if token.type == "image" and not is_chart(str(token.attrs["src"])):
            yield _text_token(token.content)
        elif leads or token.type not in {"link_open", "link_close"}:
            yield token


def _caption_exhibits(state: StateCore) -> None:
    """Make a line in bold the caption of the table behind it."""
    made: list[Token] = []
    for token in state.tokens:
        made.append(token)
        if token.type == "table_open" and _is_bold_line(made[-4:-1]):
            made[-4:] = [token, *_retag(made[-4:-1], "caption")]
    state.tokens = made


def _is_bold_line(line: list[Token]) -> bool:
    inner = [child.type for child in _list_inline(line) if child.content or child.nesting]
    return inner == ["strong_open", "text", "strong_close"]


def _list_inline(line: list[Token]) -> list[Token]:
    """Return what a paragraph holds; nothing if it is no paragraph."""
    is_paragraph = len(line) == 3 and line[0].type == "paragraph_open"
    return (line[1].children or []) if is_paragraph else []


def _retag(line: list[Token], tag: str) -> list[Token]:
    for token in (line[0], line[2]):
        token.tag = tag
    return line


class _ReportParser(MarkdownIt):
    """A parser that makes links and images of allowed addresses alone; the others stay text."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - markdown-it's name
        """Tell whether a link or an image may lead to an address."""
        return is_allowed(url)


MARKDOWN = _ReportParser("commonmark", {"html": False}).enable("table")
"""Parser of reports: HTML stays text, links lead to the web, to mail or to what the run keeps."""
MARKDOWN.core.ruler.after("inline", "foreign", _drop_foreign)
MARKDOWN.core.ruler.before("text_join", "citations", _link_citations)
MARKDOWN.core.ruler.push("captions", _caption_exhibits)
