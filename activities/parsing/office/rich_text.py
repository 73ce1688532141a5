"""Rich Text Format, by pandoc."""

import re

from activities.confined.pandoc_process import start_pandoc
from activities.parsing.document import Parsed, first_line, list_unread
from activities.parsing.markup_text import list_headings
from activities.parsing.office.conversion import convert_to_text
from contracts.media_types import RTF

_SUBSTITUTED = re.compile(rb"(?<!\\)(\\u-?\d{1,5}) ?\?")
"""A Unicode escape with `?` as replacement for old readers; pandoc would skip one character too many."""

_COMMENTS = re.compile(rb"\\\*\\annotation(?![a-z])")
_MARGINS = re.compile(rb"\{\\((?:header|footer)[lrf]?)(?![a-z])")


def read_rich_text(body: bytes) -> Parsed:
    """Return a text in Rich Text Format."""
    with start_pandoc("--from=rtf", "--to=html") as convert:
        text = convert_to_text(convert, _SUBSTITUTED.sub(rb"\1\\'3f", body), "rtf")
    margins = [name.decode() for name in _MARGINS.findall(body)]
    return Parsed(
        text,
        RTF,
        title=first_line(text),
        sections=list_headings(text),
        unread=(
            *list_unread("comments", [""] * len(_COMMENTS.findall(body))),
            *list_unread("headers", margins),
        ),
    )
