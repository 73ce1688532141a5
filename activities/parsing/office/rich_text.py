"""Rich Text Format, by pandoc."""

from activities.parsing.document import Parsed, first_line
from activities.parsing.markup_text import list_headings
from activities.parsing.office.conversion import convert_to_text
from activities.sandbox.pandoc_process import start_pandoc
from contracts.media_types import RTF


def read_rich_text(body: bytes) -> Parsed:
    """Return a text in Rich Text Format."""
    with start_pandoc("--from=rtf", "--to=html") as convert:
        text = convert_to_text(convert, body, "rtf")
    return Parsed(text, RTF, title=first_line(text), sections=list_headings(text))
