"""Bytes to text: encodings as the Encoding Standard names them, and a guess where no label holds."""

import codecs
import re
from collections.abc import Iterator
from operator import itemgetter

import webencodings
from chardetng_py import EncodingDetector

from activities.parsing.document import Unreadable
from activities.parsing.format_detection import begins_binary

MAX_BROKEN_UTF8 = 0.2
"""Share of the characters beyond ASCII that may be broken in UTF-8. In texts of other encodings more than
two thirds are: 171 of 213 in GBK, 81 of 99 in EUC-JP."""
MAX_BROKEN = 0.5
"""The same share in the encoding of a label."""

_BOMS = [
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
]
_META_CHARSET = re.compile(
    rb"""<meta[^<>]{0,200}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w:.-]{2,40})""", re.IGNORECASE
)
_XML_CHARSET = re.compile(
    rb"""\A\s{0,99}<\?xml[^<>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w:.-]{2,40})"""
)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_HEAD_BYTES = 4_096
_SIGN = re.compile(r"[^\x00-\x7f]")
_SIGN_IN_WORD = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[A-Za-z])")
_KANJI_IN = re.compile(rb"\x1b\$[@B]")
"""Begins Japanese in ISO-2022-JP."""
_STATEFUL = {
    "iso-2022-kr": "iso2022_kr",
    "csiso2022kr": "iso2022_kr",
    "hz-gb-2312": "hz",
}
"""Labels that the Standard replaces by an error, for the sake of scripts, which do not run here."""
_CODECS = {
    "gbk": ("gb18030",),
    "euc-jp": ("euc_jp", "euc_jis_2004"),
    "iso-2022-jp": ("iso2022_jp", "iso2022_jp_3", "iso2022_jp_ext"),
    "x-user-defined": ("cp1252",),
}
"""Python's codecs, by the Standard's name; the first of those that read most. Others have one codec each."""
BROKEN = "\ufffd"
_MIN_ZEROS, _ZERO_SHARE = 4, 0.05
"""The zero bytes of UTF-16: one a letter in Latin script, one a space in Cyrillic."""


def decode(body: bytes, charset: str = "") -> str:
    """Decode a body, with U+FFFD for each invalid character.

    UTF-8 is recognized whatever the label is. Otherwise the label of HTTP (`charset`) takes precedence over
    that of the page. If no label fits, the encoding is guessed.

    Raises:
        Unreadable: The body is a binary file.
    """
    if begins_binary(body):
        raise Unreadable("binary")
    for bom, codec in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(codec, "replace")
    for codecs_, most in _list_candidates(body, charset):
        texts = (body.decode(each, "replace") for each in codecs_)
        broken, text = min(((text.count(BROKEN), text) for text in texts), key=itemgetter(0))
        if not broken or broken <= most * (len(text) - len(text.encode("ascii", "ignore"))):
            return text
    return _guess_text(body)


def _list_candidates(body: bytes, charset: str) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the codecs to try, each with the share of broken characters that it may leave."""
    labels = _look_up(charset), _look_up(_find_declared(body), is_inside=True)
    # ASCII bytes may mean something else, as in ISO-2022 or UTF-16.
    means_ascii = b"\x1b" not in body and b"\x00" not in body[:_HEAD_BYTES]
    if means_ascii and not {*_STATEFUL.values()} & {*labels[0], *labels[1]}:
        yield ("utf-8",), MAX_BROKEN_UTF8
    if _KANJI_IN.search(body):
        yield _CODECS["iso-2022-jp"], 0.0
    yield from ((codecs_, MAX_BROKEN) for codecs_ in labels if codecs_)
    if utf16 := _guess_utf16(body[:_HEAD_BYTES]):
        yield (utf16,), 0.0


def _find_declared(body: bytes) -> str:
    """Return the label that a page or an XML document carries in its head."""
    head = _COMMENT.sub(b"", body[:_HEAD_BYTES])
    found = _META_CHARSET.search(head) or _XML_CHARSET.match(head)
    return found[1].decode("ascii", "ignore") if found else ""


def _look_up(label: str, *, is_inside: bool = False) -> tuple[str, ...]:
    """Return Python's codecs for a label; empty if it names no encoding.

    A label inside a page was read as ASCII, so UTF-16 there must mean UTF-8.
    """
    if stateful := _STATEFUL.get(label.strip().lower()):
        return (stateful,)
    encoding = webencodings.lookup(label)
    if encoding is None or encoding.name == "replacement":
        return ()
    if is_inside and encoding.name.startswith("utf-16"):
        return ("utf-8",)
    return _CODECS.get(encoding.name, (encoding.codec_info.name,))


def _guess_utf16(head: bytes) -> str:
    """Return the byte order of a UTF-16 text, by the position of its zero bytes; empty if it is none."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if (
        max(even, odd) < max(_MIN_ZEROS, len(head) * _ZERO_SHARE)
        or min(even, odd) * 10 > even + odd
    ):
        return ""
    return "utf-16-be" if even > odd else "utf-16-le"


def _guess_text(body: bytes) -> str:
    """Return a body in the encoding that Firefox would guess, or in windows-1252 where that reads no letters in it.

    £, ½ and ° of a Western text without umlauts or accents are letters elsewhere.
    """
    guessed, western = (body.decode(codec, "replace") for codec in (_guess(body), "cp1252"))
    return western if len(guessed) == len(western) and _has_only_signs(western) else guessed


def _has_only_signs(text: str) -> bool:
    """Return whether no character beyond ASCII is a letter, and most of them stand in no word."""
    signs = _SIGN.findall(text)
    in_words = len(_SIGN_IN_WORD.findall(text))
    is_sign = all(not sign.isalpha() and sign != BROKEN for sign in signs)
    return is_sign and in_words * 2 < len(signs)


def _guess(body: bytes) -> str:
    """Return the encoding that Firefox would guess."""
    detector = EncodingDetector()
    detector.feed(body, last=True)
    name = detector.guess(tld=None, allow_utf8=True)
    return (_look_up(name) or (name,))[0]
