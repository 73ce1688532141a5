"""Reading of a document by its format."""

import dataclasses

from activities.parsing.document import Parsed, Unreadable
from activities.parsing.encodings import BROKEN, decode
from activities.parsing.html import is_html, read_html
from activities.parsing.pdf import read_pdf
from activities.parsing.text import read_text
from activities.parsing.word import read_word
from contracts.documents import UnreadPart
from contracts.media_types import DOCX, PDF


def read_document(body: bytes, media_type: str, charset: str = "", url: str = "") -> Parsed:
    """Return the text of a page or a file; a type that is missing is judged by the bytes.

    Raises:
        Unreadable: whatever is wrong with it; the message repeats nothing of the document.
    """
    if not media_type and body.startswith(b"%PDF-"):
        media_type = PDF
    name = {PDF: "PDF", DOCX: "Word document"}.get(media_type, "page")
    try:
        if media_type == PDF:
            parsed = read_pdf(body)
        elif media_type == DOCX:
            parsed = read_word(body)
        else:
            text = decode(body, charset)
            is_page = is_html(text, media_type)
            parsed = read_html(text, media_type, url) if is_page else read_text(text, media_type)
    except (Unreadable, MemoryError):
        raise
    except RecursionError as error:
        raise Unreadable(f"is a {name} nested too deep to be read") from error
    except Exception as error:
        raise Unreadable(f"is a broken {name}, one too large, or none at all") from error
    if not parsed.text:
        raise Unreadable("has no readable text")
    return _note_broken(parsed)


def _note_broken(parsed: Parsed) -> Parsed:
    """Return a document that says how many characters of its text could not be decoded."""
    broken = parsed.text.count(BROKEN)
    if not broken:
        return parsed
    part = UnreadPart(code="characters_broken", count=broken, of=len(parsed.text))
    return dataclasses.replace(parsed, unread=(*parsed.unread, part))
