"""A report's text as HTML for a file: only what a page can hold."""

import re
from collections.abc import Iterator, Mapping

from markdown_it.token import Token

from api.reports.markdown import MARKDOWN
from domain.report.links import is_allowed, is_kept

MAX_COLUMNS = 12
"""Limit of a page; the rows of a wider table become lines."""
_HEAD = 6 + 3 * (MAX_COLUMNS + 1)
"""Tokens of a table, its caption and so many cells of its head and one more."""
_UNPRINTABLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # not XML, or a control
    "|[\u202a-\u202e\u2066-\u2069\ufeff]"  # overrides the text's direction
)


def strip_unprintable(text: str) -> str:
    """Remove the characters that no document can hold."""
    return _UNPRINTABLE.sub("", text)


def render_body(markdown: str, images: Mapping[str, Mapping[str, str]]) -> str:
    """Render a report; an image is shown, with these attributes, only if its target is named."""
    tokens = MARKDOWN.parse(strip_unprintable(markdown))
    for inline in tokens:
        inline.children = inline.children and list(_fit_inline(inline.children, images))
    html: str = MARKDOWN.renderer.render(list(_unfold_wide_tables(tokens)), MARKDOWN.options, {})
    return html


def _fit_inline(tokens: list[Token], images: Mapping[str, Mapping[str, str]]) -> Iterator[Token]:
    """Yield the tokens, without links to anything but sources and the web."""
    is_link = False
    for token in tokens:
        if token.type == "link_open":
            href = str(token.attrs["href"])
            is_link = bool(token.meta) or (is_allowed(href) and not is_kept(href))
        if token.type == "image":
            shown = images.get(str(token.attrs["src"]))
            token.attrs.update(shown or {})
            yield token if shown else Token("text", "", 0, content=token.content)
        elif is_link or token.type not in {"link_open", "link_close"}:
            yield token


def _unfold_wide_tables(tokens: list[Token]) -> Iterator[Token]:
    """Yield the tokens; a wide table's rows are paragraphs, with bars between the cells."""
    is_wide = False
    for at, token in enumerate(tokens):
        if token.type == "table_open":
            ahead = tokens[at : at + _HEAD]
            is_wide = sum(part.type == "th_open" for part in ahead) > MAX_COLUMNS
        if not is_wide or token.type in {"inline", "paragraph_open", "paragraph_close"}:
            yield token
        elif token.tag == "tr":
            yield Token("paragraph", "p", token.nesting)
        elif token.type in {"th_close", "td_close"}:
            yield Token("text", "", 0, content=" | ")
        is_wide = is_wide and token.type != "table_close"
