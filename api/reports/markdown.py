"""Markdown parser of reports, in which every citation links to its source."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_CITATION = re.compile(r"\[([1-9][0-9]{0,3})\]")


def _link_citations(state: StateCore) -> None:
    """Turn citations into links, while escaped brackets can still be recognised."""
    count = _anchor_sources(state.tokens)
    for inline in state.tokens:
        if inline.type != "inline":
            continue
        linked: list[Token] = []
        depth = 0
        for token in inline.children or []:
            depth += token.nesting if token.type in {"link_open", "link_close"} else 0
            is_text = token.type == "text" and not depth
            linked += _split_citations(token.content, count) if is_text else [token]
        inline.children = linked


def _anchor_sources(tokens: list[Token]) -> int:
    """Give each source, an item of the list that ends the report, its anchor; return their number."""
    ends = [n for n, token in enumerate(tokens) if token.type == "heading_close"]
    last = tokens[ends[-1] + 1 :] if ends else []
    if not last or last[0].type != "ordered_list_open" or last[-1].type != "ordered_list_close":
        return 0
    items = [token for token in last if token.type == "list_item_open" and token.level == 1]
    for number, item in enumerate(items, start=1):
        item.attrSet("id", source_anchor(number))
    return len(items)


def source_anchor(number: int) -> str:
    """Return the anchor of the nth source."""
    return f"source_{number}"


def _split_citations(text: str, count: int) -> Iterator[Token]:
    end = 0
    for found in _CITATION.finditer(text):
        number = int(found[1])
        if number <= count:
            yield _text_token(text[end : found.start()])
            attrs: dict[str, str | int | float] = {"href": f"#{source_anchor(number)}"}
            yield Token("link_open", "a", 1, attrs=attrs, meta={"source": number})
            yield _text_token(found[0])
            yield Token("link_close", "a", -1)
            end = found.end()
    yield _text_token(text[end:])


def _text_token(content: str) -> Token:
    return Token("text", "", 0, content=content)


MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
"""Parser of reports: HTML stays text, and no link leads to a script."""
MARKDOWN.core.ruler.before("text_join", "citations", _link_citations)
