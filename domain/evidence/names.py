"""Names in text: words with a capital letter that does not come from their place."""

import re
from collections.abc import Callable, Mapping, Sequence

_LETTER = r"[^\W\d_]"
_WORD = re.compile(rf"{_LETTER}+(?:['’]{_LETTER}+)*+")
_STARTS_A_SENTENCE = re.compile(r"""(?:\A|[.!?:;•|])["'(\[\s*-]*\Z""")
_JOINTS = {" ", "-", " & "}
_HAN = re.compile("[\u3005-\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff]")
_COMMON_WORDS = (
    "a about above according across after against all almost along already also although "
    "among an and another any are around as at back based because been before behind being "
    "below between beyond both but by can compared could did despite do does due during each "
    "either even every except few finally first for from further given had has have he hence "
    "her here his how however i if in indeed instead into is it its just last lastly less "
    "like many meanwhile might more moreover most much must my near nearly neither never "
    "nevertheless next no none nor not note now of off often on once one only or other others "
    "our out over overall own per perhaps rather recent recently second several she should "
    "similarly since so some still such than that the their them then there therefore these "
    "they third this those though through throughout thus to today together too toward "
    "towards under unlike until up upon use used using very was we were what when where "
    "whereas whether which while who whose why with within without would yes yet you "
    "your "
)
_COMMON = frozenset(_COMMON_WORDS.split())


def find_names(text: str, is_usual: Callable[[str], bool]) -> list[str]:
    """Return the capitalised words of a text, adjacent ones joined to one name.

    The first word of a sentence is left out where it is a common one; acronyms stand alone.
    """
    found: list[str] = []
    end, open_run = 0, False
    for match in _WORD.finditer(text):
        word = match.group().removesuffix("'s")
        joined = open_run and not word.isupper() and text[end : match.start()] in _JOINTS
        open_run = word[0].isupper() and not _is_sentence_start(text, match.start(), word, is_usual)
        if open_run and joined:
            found[-1] += text[end : match.start()] + word
        elif open_run:
            found.append(word)
        open_run = open_run and word == match.group() and not word.isupper()
        end = match.end()
    return found


def _is_sentence_start(text: str, at: int, word: str, is_usual: Callable[[str], bool]) -> bool:
    """Tell whether a word is capitalised only because it opens a sentence."""
    if len(word) > 1 and word.isupper():
        return False
    starts = _STARTS_A_SENTENCE.search(text, max(0, at - 8), at)
    return bool(starts) and (word.lower() in _COMMON or is_usual(word))


def contains_name(name: str, text: str) -> bool:
    """Tell whether a text contains a name, spelled as a name."""
    # `Kenya`, `Kenyan` and `Kenyans` match one another.
    countries = ((w, re.fullmatch(r"(\w{4,}a)(?:ns?)?", w)) for w in re.split(r"[\s-]", name))
    words = r"[\s-]".join(f"{c[1]}(?:ns?)?" if c else re.escape(word) for word, c in countries)
    pattern = re.compile(rf"(?<!{_LETTER}){words}(?!{_LETTER})", re.IGNORECASE)
    found = (match.group() for match in pattern.finditer(text))
    if name.isupper() and len(name) <= 6:
        return name in found
    return any(match[0].isupper() for match in found)


def is_common(word: str, counts: Sequence[Mapping[str, int]]) -> bool:
    """Tell whether texts have a word, or its singular or plural, mostly in small letters."""
    stem = word.lower().removesuffix("s")
    small, capital = (
        sum(count.get(form, 0) + count.get(f"{form}s", 0) for count in counts)
        for form in (stem, stem.capitalize())
    )
    return small > capital


def find_unseen_words(text: str, seen: str) -> list[str]:
    """Return the words in scripts without capitals of which not every part was seen.

    Names cannot be told from other words there, so all of them count: Chinese by character,
    others by pairs of letters.
    """
    uncased = (m.group() for m in _WORD.finditer(text) if m.group().lower() == m.group().upper())
    pairs = ((w, 1 if _HAN.search(w) or len(w) < 2 else 2) for w in uncased)
    return [w for w, n in pairs if any(w[i : i + n] not in seen for i in range(len(w) - n + 1))]
