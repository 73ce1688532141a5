"""The sentences in a tool's input, read while its JSON streams in."""

import json
from collections.abc import Iterator

WORDED = frozenset({"text", "missing"})
"""Fields with sentences for readers, unlike ids, numbers, quotes and labels."""
_LONGEST_ESCAPE = 12
"""Characters of an escape of a character that JSON writes as two."""


class StreamedSentences:
    """Reads the pieces of one tool's input, which is JSON, and returns the sentences in them as they come."""

    def __init__(self) -> None:
        self._name = self._text = self._escape = ""
        """The newest field's name, what of a text is not returned yet, and an escape that has not ended."""
        self._is_text = self._is_value = False

    def read(self, piece: str) -> str:
        """Return the words of the next piece; a space follows each sentence."""
        return "".join(self._list_words(piece))

    def _list_words(self, piece: str) -> Iterator[str]:
        for sign in piece:
            if not self._is_text:
                self._is_text = sign == '"'
                self._is_value = sign == ":" or (self._is_value and sign in '" \n\r\t')
            elif self._escape or sign == "\\":
                self._read_escape(sign)
            elif sign == '"':
                yield from self._end_text()
            else:
                self._text += sign
        if self._is_text and self._is_worded:
            yield self._text
            self._text = ""

    @property
    def _is_worded(self) -> bool:
        return self._is_value and self._name in WORDED

    def _read_escape(self, sign: str) -> None:
        self._escape += sign
        kind, half = self._escape[1:2], self._escape[2:4].casefold()
        size = 2 if kind != "u" else _LONGEST_ESCAPE if "d8" <= half <= "db" else 6
        if len(self._escape) >= size:
            self._text += _unescape(self._escape)
            self._escape = ""

    def _end_text(self) -> Iterator[str]:
        if self._is_worded:
            yield f"{self._text} "
        elif not self._is_value:
            self._name = self._text
        self._text, self._is_text, self._is_value = "", False, False


def _unescape(escape: str) -> str:
    """Return the character that a JSON escape sequence encodes, or an empty string if the sequence is invalid."""
    try:
        return str(json.loads(f'"{escape}"')).encode(errors="replace").decode()
    except ValueError:
        return ""
