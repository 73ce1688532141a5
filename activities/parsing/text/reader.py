"""Plain text and Markdown: its title, its day and its sections."""

import re
from html import unescape
from itertools import accumulate, pairwise

from markdown_it import MarkdownIt

from activities.parsing.document import MAX_TEXT_CHARS, Parsed, bounded, first_line, line, tidy
from activities.parsing.text.dates import find_stated_day
from activities.parsing.text.filing_day import find_publication
from contracts.documents import PageSection

MARKDOWN = {"text/markdown", "text/x-markdown"}
_FRONT = re.compile(
    r"\A(?P<rule>---|\+\+\+)[ \t]{0,9}\n(?P<fields>.{0,4000}?)\n(?P=rule)[ \t]{0,9}(?:\n|\Z)",
    re.DOTALL,
)
_STRUCK = re.compile(
    r"(?<!~)~~(?![~\s])[^~\n]{1,500}~~(?!~)|<(del|s|strike)>[^<\n]{1,500}</\1>", re.IGNORECASE
)
"""Struck-out text in Markdown, which is not evidence because it no longer holds."""
_CODE = re.compile(r"(```.{0,100000}?(?:```|\Z)|`[^`\n]{1,2000}`)", re.DOTALL)
_ESCAPED = re.compile(r"\\([!-/:-@\[\]-`{}~])")
"""Characters escaped with a backslash in Markdown, except for the bar in table cells."""
_FIELD = re.compile(r"^([\w-]{1,40})[ \t]{0,9}[:=][ \t]{0,9}([^\n]{1,300})$", re.MULTILINE)


def read_text(text: str, media_type: str) -> Parsed:
    """Return plain text, or Markdown without what it strikes out, called after its front matter or its first line."""
    is_markdown = media_type in MARKDOWN
    cleaned = tidy(_show_markdown(text) if is_markdown else text)
    fields = _read_front_matter(cleaned)
    return Parsed(
        cleaned,
        media_type or "text/plain",
        title=fields.get("title") or first_line(cleaned),
        author=fields.get("author", ""),
        description=fields.get("description", ""),
        published=find_publication(cleaned, find_stated_day(cleaned[:MAX_TEXT_CHARS])),
        sections=_find_sections(cleaned[:MAX_TEXT_CHARS]) if is_markdown else (),
    )


def _show_markdown(text: str) -> str:
    """Return Markdown without what it hides and strikes out, and with escaped signs as they are shown."""
    shown, *comments = text.split("<!--")
    for each in comments:
        _, end, rest = each.partition("-->")
        shown += rest if end else f"<!--{each}"
    parts = _CODE.split(_STRUCK.sub("", shown))
    parts[::2] = [unescape(_ESCAPED.sub(r"\1", part)) for part in parts[::2]]
    return "".join(parts)


def _read_front_matter(text: str) -> dict[str, str]:
    """Return the one-line fields of a text's front matter."""
    front = _FRONT.match(text)
    fields = _FIELD.findall(front["fields"]) if front else []
    return {name.lower(): line(value.strip().strip("\"'")) for name, value in fields}


def _find_sections(text: str) -> tuple[PageSection, ...]:
    """Return the sections of a Markdown text."""
    front = _FRONT.match(text)
    ahead = (
        re.sub(r"[^\n]", " ", front.group()) if front else ""
    )  # its last rule would underline it
    tokens = (
        MarkdownIt("zero")
        .enable(["heading", "lheading", "fence", "code"])
        .parse(ahead + text[len(ahead) :])
    )
    starts = list(accumulate((len(each) + 1 for each in text.split("\n")), initial=0))
    found = [
        (inner.content, starts[token.map[0]])
        for token, inner in pairwise(tokens)
        if token.type == "heading_open" and token.map
    ]
    return bounded(found, len(text))
