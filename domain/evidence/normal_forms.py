"""Normal forms of text: spaces, dashes, quotation marks, ligatures, accents."""

import re
import unicodedata
from array import array

DROPPED = "\u00ad\u200c\u200d\u2060\ufeff"
"""Invisible characters."""

_ALIKE = {
    **dict.fromkeys("“”„‟«»″", '"'),
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys(DROPPED, ""),
    "\u200b": " ",
}
_TRANSLATION = str.maketrans(_ALIKE)
_MARKER = re.compile(r"\[\d{1,3}\]")
_DOTTED = re.compile(r"(?<!\w)(?:[A-Z]\.){2,}")
_SPACES = re.compile(r"\s++")


def normalize(text: str) -> str:
    """Return a text composed and on one line, with `U.S.` as `US` and without `[n]` markers."""
    composed = unicodedata.normalize("NFC", text).translate(_TRANSLATION)
    bare = _DOTTED.sub(lambda match: match.group().replace(".", ""), _MARKER.sub("", composed))
    return _SPACES.sub(" ", bare).strip()


def spell_words(text: str) -> str:
    """Return a text's words alone, in small letters, to know it again by."""
    return " ".join(re.findall(r"\w+", text.casefold()))


class _FoldTable(dict[str, str]):
    """Foldings of characters, computed once each."""

    def __missing__(self, char: str) -> str:
        alike = _ALIKE.get(char, char)
        folded = " " if alike.isspace() else unicodedata.normalize("NFKD", alike)
        return self.setdefault(char, folded)


def fold(text: str) -> tuple[str, "array[int]"]:
    """Return the folded text and, of each of its characters, the place in the original."""
    folds, folded, places = _FoldTable(), [], array("I")
    last = ""
    for place, char in enumerate(text):
        for part in folds[char]:
            if part != " " or last != " ":
                folded.append(part)
                places.append(place)
            last = part
    return "".join(folded), places
