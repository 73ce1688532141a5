"""Reading of a document by its format."""

import dataclasses
import re
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from activities.parsing.document import Parsed, Unreadable, cut_long, line
from activities.parsing.document_metadata import drop_defaults
from activities.parsing.format_detection import recognize
from activities.parsing.html.reader import is_html, read_html
from activities.parsing.mail import is_mail
from activities.parsing.text.encodings import BROKEN, decode
from activities.parsing.text.json_text import parse_json, read_json
from activities.parsing.text.reader import read_text
from activities.parsing.text.records import is_delimited, read_delimited
from contracts import media_types
from contracts.documents import UnreadPart
from contracts.evidence.read_failures import FormatName

_READERS: dict[str, tuple[FormatName, str, str]] = {
    media_types.PDF: ("pdf", "activities.parsing.pdf.reader", "read_pdf"),
    media_types.XLSX: ("workbook", "activities.parsing.office.workbook", "read_workbook"),
    media_types.PPTX: ("slides", "activities.parsing.office.slides", "read_slides"),
    media_types.EPUB: ("ebook", "activities.parsing.office.ebook", "read_ebook"),
    media_types.ODT: ("odt", "activities.parsing.office.opendocument", "read_opendocument"),
    media_types.RTF: ("rtf", "activities.parsing.office.rich_text", "read_rich_text"),
    media_types.EML: ("message", "activities.parsing.mail", "read_mail"),
    media_types.DOCX: ("word", "activities.parsing.office.word.reader", "read_word"),
}
"""The format's name, and the module and function that read it, imported on first use."""
_TEXTS: dict[str, FormatName] = {
    media_types.CSV: "table",
    media_types.TSV: "table",
    media_types.JSON: "json",
    media_types.JSON_LINES: "json",
}
_TELLS_LITTLE = {"", media_types.PLAIN}
"""Media types of servers that do not know the format, so that the URL's suffix is more reliable."""
_PAGE_START = re.compile(r"\s{0,999}<(?:!doctype html|html)\b", re.IGNORECASE)


def read_document(body: bytes, media_type: str, charset: str = "", url: str = "") -> Parsed:
    """Read a page or file; its bytes decide on the format, and among text formats its label does.

    Raises:
        Unreadable: The document cannot be read, for any reason; the message repeats none of its content.
    """
    label = _find_label(media_type, url)
    name: FormatName = "page"
    try:
        kind = recognize(body, label)
        if not kind and (label == media_types.EML or (label in _TELLS_LITTLE and is_mail(body))):
            kind = media_types.EML
        if kind:
            name, module, function = _READERS[kind]
            read: Any = getattr(import_module(module), function)
            parsed: Parsed = read(body)
        else:
            name = _TEXTS.get(label, "page")
            parsed = _read_text(decode(body, charset), label, url)
    except (Unreadable, MemoryError):
        raise
    except RecursionError as error:
        raise Unreadable("nested", format=name) from error
    except Exception as error:
        raise Unreadable("broken", format=name) from error
    if not parsed.text:
        raise Unreadable("no_text")
    parsed = _note_broken(drop_defaults(cut_long(parsed)))
    return dataclasses.replace(parsed, title=parsed.title or _name_file(url))


def _note_broken(parsed: Parsed) -> Parsed:
    """Return a document that says how many characters of its text could not be decoded."""
    broken = parsed.text.count(BROKEN)
    if not broken:
        return parsed
    part = UnreadPart(code="characters_broken", count=broken, of=len(parsed.text))
    return dataclasses.replace(parsed, unread=(*parsed.unread, part))


def _read_text(text: str, label: str, url: str) -> Parsed:
    """Return a text that its label or, where this says little, its looks say the format of."""
    if label in {media_types.CSV, media_types.TSV} and not _PAGE_START.match(text):
        return read_delimited(text, label)
    if (
        label in {"", media_types.PLAIN, media_types.JSON, media_types.JSON_LINES}
        and (value := parse_json(text)) is not None
    ):
        return read_json(value, label)
    if label in {"", media_types.PLAIN} and is_delimited(text):
        return read_delimited(text, media_types.CSV)
    if _PAGE_START.match(text) or is_html(text, label):
        return read_html(
            text,
            label if label in media_types.PAGES - {media_types.PLAIN} else media_types.HTML,
            url,
        )
    return read_text(
        text, media_types.PLAIN if label in {media_types.JSON, media_types.JSON_LINES} else label
    )


def _find_label(media_type: str, url: str) -> str:
    """Return the media type by the label or the address's suffix; empty if neither is known."""
    media_type = media_types.JSON if media_type.endswith(("+json", "/json")) else media_type
    known = media_type if media_type in {*media_types.PAGES, *media_types.SUFFIXES.values()} else ""
    if known not in _TELLS_LITTLE:
        return known
    by_name = media_types.SUFFIXES.get(PurePosixPath(urlsplit(url).path).suffix.lower(), "")
    return by_name if by_name and by_name != media_types.HTML else known


def _name_file(url: str) -> str:
    """Return the file name at the end of a URL; empty if there is none."""
    return line(unquote(PurePosixPath(urlsplit(url).path).name))
