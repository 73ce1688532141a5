"""Messages of e-mail: heads, body once, attached messages within, and the names of other attachments."""

import email
import email.policy
import re
from collections.abc import Iterator
from contextlib import suppress
from email.header import decode_header, make_header
from email.message import MIMEPart
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any, TypeAlias

from activities.parsing.document import Parsed, Unreadable, line, list_unread, tidy
from activities.parsing.html.reader import check_tags
from activities.parsing.html.tables import narrow_tables
from activities.parsing.markup_text import parse_markup, read_tree
from activities.parsing.text.encodings import decode
from contracts.media_types import EML

MAX_DEPTH, MAX_PARTS = 20, 2_000
_HEADS = ("Subject", "From", "To", "Cc", "Date")
_LOOKS_LIKE_MAIL = re.compile(
    rb"(?:From [^\r\n]{1,200}\r?\n)?(?:[!-9;-~]{1,70}:[^\r\n]{0,2000}\r?\n(?:[ \t][^\r\n]{0,2000}\r?\n){0,50}){3,200}\r?\n"
)
_NEEDED = (b"from:", b"date:", b"subject:", b"to:", b"message-id:", b"mime-version:", b"received:")
_CONTENT_TYPE = re.compile(rb"^Content-Type:", re.MULTILINE | re.IGNORECASE)
_HEAD_BYTES = 64_000
_MAX_HEAD_CHARS = 4_000
"""The library parses a head in a time that grows with the square of its length; of a longer one, the start is read."""
_CONTENT_HEAD = re.compile(
    rb"^Content-[A-Za-z-]{1,40}:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*", re.MULTILINE | re.IGNORECASE
)
Message: TypeAlias = "MIMEPart[Any, Any]"
_TEXTS = frozenset(["text/plain", "text/html"])
_LOCKED = frozenset(["application/pkcs7-mime", "application/x-pkcs7-mime", "multipart/encrypted"])


def is_mail(body: bytes) -> bool:
    """Return whether a file begins with the heads of a message: its sender and three more that are usual."""
    found = _LOOKS_LIKE_MAIL.match(body[:_HEAD_BYTES])
    if not found:
        return False
    names = {each.partition(b":")[0].lower() + b":" for each in found.group().splitlines()}
    return b"from:" in names and sum(needed in names for needed in _NEEDED) >= 3


class _Mailbox:
    """Reads a message and its attached messages; keeps the names of unread attachments."""

    def __init__(self) -> None:
        self.attached: list[str] = []
        self.locked: list[str] = []
        self._texts: dict[int, str] = {}

    def read(self, message: Message, depth: int = 0) -> Iterator[str]:
        """Yield the heads and the lines of a message, and of the messages within it."""
        yield from (f"{head}: {value}" for head in _HEADS if (value := _get(message, head)))
        names = [name for each in message.iter_attachments() if (name := _name(each, named=True))]
        if names:
            yield f"Attachments: {', '.join(names)}"
        for part, is_repeated in self._list_leaves(message):
            yield from self._read_part(part, depth, is_repeated)

    def _read_part(self, part: Message, depth: int, is_repeated: bool) -> Iterator[str]:
        kind = part.get_content_type()
        if kind == "message/rfc822" and depth < MAX_DEPTH:
            yield ""
            for each in part.iter_parts():
                yield from self.read(each, depth + 1)
        elif kind in _LOCKED:
            self.locked.append(_name(part))
        elif part.is_attachment() or part.get_filename() or kind not in _TEXTS:
            if not (is_repeated and kind.startswith("text/")):
                self.attached.append(_name(part))
        elif not is_repeated:
            yield ""
            yield self._read_text(part)

    def _read_text(self, part: Message) -> str:
        if id(part) not in self._texts:
            self._texts[id(part)] = _read_body(part)
        return self._texts[id(part)]

    def _list_leaves(self, message: Message) -> Iterator[tuple[Message, bool]]:
        """Yield the parts of a message, and whether another form of the same text is read; attached messages are whole.

        Raises:
            Unreadable: It has more parts than are read.
        """
        waiting, count = [(message, False)], 0
        while waiting:
            part, is_repeated = waiting.pop()
            count += 1
            if count > MAX_PARTS:
                raise Unreadable("parts_many", format="message", most=MAX_PARTS)
            kind = part.get_content_type()
            if kind in _LOCKED or kind == "message/rfc822" or not part.is_multipart():
                yield part, is_repeated
                continue
            inner = [*part.iter_parts()]
            read = self._choose_form(inner) if kind == "multipart/alternative" else None
            waiting += reversed(
                [(each, is_repeated or (read is not None and each is not read)) for each in inner]
            )

    def _choose_form(self, forms: list[Message]) -> "Message | None":
        """Return which of several forms of a text is read: HTML with words in it, else plain text; None without any."""
        bodies = [(form, form.get_body(("html", "plain"))) for form in forms]
        texts = [(form, body) for form, body in bodies if body is not None]
        html = (
            form
            for form, body in texts
            if body.get_content_subtype() == "html" and self._read_text(body).strip()
        )
        plain = (form for form, body in texts if body.get_content_subtype() == "plain")
        return next(html, next(plain, None))


def read_mail(body: bytes) -> Parsed:
    """Return a message: subject, sender, receivers and day, its text, and the messages attached to it."""
    if sum(1 for _ in _CONTENT_TYPE.finditer(body)) > MAX_PARTS:
        raise Unreadable("parts_many", format="message", most=MAX_PARTS)
    shortened = _CONTENT_HEAD.sub(_drop_long, body)
    message = email.message_from_bytes(shortened, policy=email.policy.default)
    mailbox = _Mailbox()
    lines = [*mailbox.read(message)]
    name, address = parseaddr(_get(message, "From"))
    return Parsed(
        tidy("\n".join(lines)),
        EML,
        title=_get(message, "Subject"),
        author=line(name or address),
        published=_read_day(message),
        unread=(
            *list_unread("attachments", mailbox.attached),
            *list_unread("parts_encrypted", mailbox.locked),
        ),
    )


def _read_body(part: Message) -> str:
    """Return a body's text, by the encoding that its label means."""
    payload = part.get_payload(decode=True)
    text = decode(payload if isinstance(payload, bytes) else b"", part.get_content_charset() or "")
    if part.get_content_subtype() != "html":
        return text
    check_tags(text)
    if not text.strip():
        return ""
    return narrow_tables(read_tree(parse_markup(text.encode())))


def _get(message: Message, name: str) -> str:
    """Return a header as one line; undecodable parts are kept."""
    raw = next((str(text) for key, text in message.raw_items() if key.lower() == name.lower()), "")
    raw = raw[:_MAX_HEAD_CHARS]
    with suppress(Exception):  # the library fails on some broken ones
        return line(str(make_header(decode_header(raw))), _MAX_HEAD_CHARS)
    return line(raw, _MAX_HEAD_CHARS)


def _drop_long(head: re.Match[bytes]) -> bytes:
    return head.group() if len(head.group()) <= _MAX_HEAD_CHARS else b"X-Long: "


def _name(part: Message, *, named: bool = False) -> str:
    """Return an attachment's name; without one its type, or with `named` an empty string."""
    with suppress(Exception):
        return line(part.get_filename() or ("" if named else part.get_content_type()))
    return "" if named else "attachment"


def _read_day(message: Message) -> str | None:
    with suppress(Exception):
        return parsedate_to_datetime(_get(message, "Date")).date().isoformat()
    return None
