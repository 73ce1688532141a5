"""Formats: which reader a document takes, and the one kind of no that a reader may say."""

from activities.parsing.document import Parsed, Unreadable
from activities.parsing.html import is_html, read_html
from activities.parsing.pdf import read_pdf
from activities.parsing.text import decode, read_text
from activities.parsing.word import read_word
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
        parsed = _read(body, media_type, charset, url)
    except (Unreadable, MemoryError):
        raise
    except RecursionError as error:
        raise Unreadable(f"is a {name} nested too deep to be read") from error
    except Exception as error:
        raise Unreadable(f"is a broken {name}, one too large, or none at all") from error
    if not parsed.text:
        raise Unreadable("has no readable text")
    return parsed


def _read(body: bytes, media_type: str, charset: str, url: str) -> Parsed:
    if media_type == PDF:
        return read_pdf(body)
    if media_type == DOCX:
        return read_word(body)
    text = decode(body, charset)
    return (
        read_html(text, media_type, url)
        if is_html(text, media_type)
        else read_text(text, media_type)
    )
