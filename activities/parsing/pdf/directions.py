"""The order of characters and words on pages with text that is written from right to left, by their places.

It inverts Unicode's bidirectional algorithm for what pages show: letters of right-to-left scripts run leftward,
figures and other letters within them rightward.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from activities.parsing.pdf.lines import Line, Word
from activities.parsing.superscripts import BEFORE_CHARS, write_mark

LEFTWARD = re.compile(
    "[\u0591-\u05f4\u0610-\u061a\u0620-\u065f\u066e-\u06ef\u06fa-\u08ff\ufb1d-\ufdfd\ufe70-\ufefc]"
)
"""Letters that are written from right to left, with their accents; the digits of their scripts are not."""
_PIECE = re.compile(f"{LEFTWARD.pattern}+|.", re.DOTALL)
_ARABIC = re.compile("[\u0620-\u08ff\ufb50-\ufdfd\ufe70-\ufefc]")
_LETTER = re.compile(r"[^\W\d_]")
_ALEFS, _LAM = "\u0622\u0623\u0625\u0627\u0671", "\u0644"
_INVISIBLE = frozenset(
    "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_KINDS = {
    **dict.fromkeys("-+\u2212", "h"),
    **dict.fromkeys(".,:/\u060c\u066b\u066c\xa0\u202f'\u2019", "s"),
    **dict.fromkeys("%\u066a\u2030$\u20ac\u00a3\u00a5\u20aa\u20b9#\u00b0", "t"),
}
_NUMBER = re.compile(r"(?:\Ah)?t{0,2}d+(?:[sh]d+)*t{0,2}m*")
_ARABIC_NUMBER = re.compile(r"(?:\Ah)?d+(?:sd+)*m*")
"""Digits behind Arabic letters: signs of percent or currency do not join them."""
_FOREIGN = re.compile("[ld](?:.*[ld])?m*")
_PERCENT = re.compile(r"(?<![\w%\u066a])([%\u066a\u2030])(\d+(?:[.,\u066b\u066c]\d+)*)(?![\w%])")
_MIRRORED = str.maketrans("()[]{}<>\u00ab\u00bb", ")(][}{><\u00bb\u00ab")
_BRACKETS = frozenset("()[]{}")
_CLOSING = re.compile(r"(?<=[\w%$€£¥])[(\[](?=\W{0,3}\Z)")
_CLOSED = str.maketrans("([", ")]")
_RUNS = {
    True: re.compile("[lu](?:[ludno]*[lu])?(?:(?<=l)n)?"),
    False: re.compile("r(?:[rdno]*r)?"),
}
"""Words of the other direction in a cell that is read leftward or not, by their kinds.

A number to the right of a foreign word may follow it (`Office 365`) or precede it (`12.5 MW`), shown alike.
"""
_SHORT_LETTERS, _SHORT_NUMBER = 3, re.compile(r"\d{1,4}[^\w%]?\Z")
"""Units and currencies have at most so many letters; a number in a name has few digits and no sign."""
_GROUPED = re.compile(r"\d{1,3}(?: \d{3})+(?:[.,]\d+)?\Z")
_MAX_GAP = 0.8
"""A wider gap, in heights, is between cells or columns, each with a direction of its own."""
_WORD_GAP = 0.15
_RAISED, _SMALL = 0.12, 0.9


@dataclass(slots=True)
class Sign:
    """A character on a page, or letters that are written from right to left, in the order they are read."""

    y: float
    left: float
    right: float
    height: float
    text: str
    at: int
    """Index of the first character."""
    kind: str
    """`r` of letters written leftward, `l` of others, `d` digit, `h`, `s` and `t` signs in figures, `m` mark, `o` other."""


def is_leftward(text: str) -> bool:
    """Return whether at least half of the letters of a text are written from right to left."""
    count = len(LEFTWARD.findall(text))
    return count > 0 and 2 * count >= len(_LETTER.findall(text))


def _has_direction(text: str, *, on_leftward: bool) -> bool:
    """Return whether the words of a cell are read from right to left, on a page that is or is not."""
    if not LEFTWARD.search(text):
        return on_leftward and not _LETTER.search(text)
    return on_leftward or is_leftward(text)


def list_signs(text: str, first: int, places: Sequence[Sequence[float]]) -> Iterator[Sign]:
    """Yield the characters of a page from index `first`, with each run of letters that are written leftward as one.

    `places` are their left edges, baselines, right edges, bottoms and heights. PDFium reverses such a run, or leaves
    it as the document has it, with a ligature's letters the wrong way round.
    """
    lefts, bases, rights, _, heights = places
    for match in _PIECE.finditer(text):
        start, end = match.span()
        piece, is_letters = match.group(), end > start + 1 or bool(LEFTWARD.match(match.group()))
        while is_letters and start < end:
            base = bases[start]
            stop = next((n for n in range(start, end) if bases[n] != base), end)
            run = slice(start, stop)
            letters = _order_letters(text[run], lefts[run])
            yield Sign(
                *(-base, min(lefts[run]), max(rights[run]), max(heights[run])),
                *(letters, first + start, "r"),
            )
            start = stop
        if not is_letters and piece not in _INVISIBLE:
            kind = _find_kind(piece)
            yield Sign(
                -bases[start],
                lefts[start],
                rights[start],
                heights[start],
                piece,
                first + start,
                kind,
            )


def _find_kind(text: str) -> str:
    if text.isdigit():
        return "d"
    return "l" if text.isalpha() else _KINDS.get(text, "o")


def _order_letters(letters: str, lefts: Sequence[float]) -> str:
    """Return letters from right to left by their places."""
    ordered, places = [*letters], [*lefts]
    if lefts[0] < lefts[-1]:
        ordered.reverse()
        places.reverse()
    if _LAM in letters:
        for n, (letter, after) in enumerate(pairwise(ordered)):
            if letter in _ALEFS and after == _LAM and places[n] == places[n + 1]:
                ordered[n : n + 2] = after, letter
    return "".join(ordered)


def read_line(signs: Sequence[Sign], *, on_leftward: bool) -> tuple[float, float, list[Word]]:
    """Return the baseline, height and words of a line of signs; each word's characters are in the order they are read."""
    ordered = sorted(signs, key=lambda sign: sign.left + sign.right)
    height = max(sign.height for sign in ordered)
    y = max(sign.y for sign in ordered if sign.height > _SMALL * height)
    words: list[list[Sign]] = []
    is_apart = False
    for sign in ordered:
        if sign.text.isspace():
            is_apart = True
            continue
        if y - sign.y > _RAISED * height and sign.height < _SMALL * height and sign.kind in "do":
            sign.kind = "m"
        if not words or _is_apart(words[-1][-1], sign, height, is_spaced=is_apart):
            words.append([sign])
        elif sign.kind == "m" == words[-1][-1].kind:
            words[-1][-1].text += sign.text
            words[-1][-1].right = sign.right
        else:
            words[-1].append(sign)
        is_apart = False
    placed = [(min(s.left for s in w), max(s.right for s in w), w) for w in words]
    found: list[Word] = []
    for start, stop in _divide([(left, right) for left, right, _ in placed], height):
        cell = [word for _, _, word in placed[start:stop]]
        text = "".join(sign.text for word in cell for sign in word)
        leftward = _has_direction(text, on_leftward=on_leftward)
        texts = _read_cell(
            cell, _ARABIC_NUMBER if _ARABIC.search(text) else _NUMBER, leftward=leftward
        )
        found += [(a, b, text) for (a, b, _), text in zip(placed[start:stop], texts, strict=True)]
    return y, height, found


def _is_apart(before: Sign, sign: Sign, height: float, *, is_spaced: bool) -> bool:
    """Return whether a sign begins a word; some makers put a space on the wrong side of a bracket."""
    gap = sign.left - before.right
    is_sure = is_spaced and not {before.text, sign.text} & _BRACKETS
    return is_sure or gap > _WORD_GAP * height


def _divide(places: Sequence[tuple[float, float]], height: float) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the cells that words form which follow each other closely."""
    start = 0
    for n in range(1, len(places) + 1):
        if n == len(places) or places[n][0] - places[n - 1][1] > _MAX_GAP * height:
            yield start, n
            start = n


def _read_cell(words: list[list[Sign]], number: re.Pattern[str], *, leftward: bool) -> list[str]:
    """Return the texts of a cell's words; signs around words of the other direction change places."""

    def read(signs: list[Sign]) -> str:
        return _read_word(signs, number, leftward=leftward)

    kinds = "".join(_find_word_kind("".join(sign.text for sign in word)) for word in words)
    texts = [*map(read, words)]
    for run in _RUNS[leftward].finditer(kinds):
        some = words[run.start() : run.end()]
        if len(some) == 1:
            continue
        first, last = run.start(), run.end() - 1
        begin, _ = _find_inner(some[0], leftward=leftward)
        _, end = _find_inner(some[-1], leftward=leftward)
        before, after = some[0][:begin], some[-1][end:]
        some[-1], some[0] = some[-1][:end], some[0][begin:]
        if leftward:
            texts[first : last + 1] = [_read_word(word, number, leftward=False) for word in some]
            if after and sum(sign.text in _BRACKETS for word in some for sign in word) % 2:
                texts[last] += after.pop(0).text  # it closes a bracket among them
            texts[first], texts[last] = read(after) + texts[first], texts[last] + read(before)
        else:
            texts[first], texts[last] = read(some[0]) + read(after), read(before) + read(some[-1])
    return [_PERCENT.sub(r"\2\1", _close_bracket(text)) for text in texts]


def _find_inner(word: list[Sign], *, leftward: bool) -> tuple[int, int]:
    """Return the bounds of a word without the signs around it."""
    inner = [n for n, sign in enumerate(word) if sign.kind in ("ldmt" if leftward else "r")]
    return inner[0], inner[-1] + 1


def _close_bracket(text: str) -> str:
    """Turn a trailing opening bracket of a word into a closing one: PDFium mirrors some brackets after right-to-left words."""
    return _CLOSING.sub(lambda match: match.group().translate(_CLOSED), text)


def _read_word(signs: list[Sign], number: re.Pattern[str], *, leftward: bool) -> str:
    """Return a word's signs in the order they are read; `signs` are in their order on the page."""
    kinds = "".join(sign.kind for sign in signs)
    if leftward:
        ordered = [*_read_leftward(signs, kinds, number)]
    else:
        first, stop = kinds.find("r"), kinds.rfind("r") + 1
        inner = signs[first:stop] if stop else []
        ordered = [(sign.text, sign.kind) for sign in signs[: max(first, 0)]]
        ordered += _read_leftward(inner, kinds[first:stop], number)
        ordered += [(sign.text, sign.kind) for sign in signs[stop:]]
    text = ""
    for (part, kind), (after, _) in pairwise([*ordered, ("", "")]):
        text += write_mark(text[-BEFORE_CHARS:], part, after) if kind == "m" else part
    return text


def _read_leftward(
    signs: list[Sign], kinds: str, number: re.Pattern[str]
) -> Iterator[tuple[str, str]]:
    """Yield signs from right to left, but figures and foreign words from left to right."""
    end = len(signs)
    for start, stop in reversed([*_list_rightward(kinds, number)]):
        yield from _turn(signs[stop:end])
        text = "".join(sign.text for sign in signs[start:stop] if sign.kind != "m")
        yield text, "l"
        yield from ((sign.text, "m") for sign in signs[start:stop] if sign.kind == "m")
        end = start
    yield from _turn(signs[:end])


def _turn(signs: Sequence[Sign]) -> Iterator[tuple[str, str]]:
    for sign in reversed(signs):
        yield sign.text if sign.kind == "r" else sign.text.translate(_MIRRORED), sign.kind


def _list_rightward(kinds: str, number: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the figures and foreign words in a word."""
    for part in re.finditer("[^r]+", kinds):
        pattern = _FOREIGN if "l" in part.group() else number
        for found in pattern.finditer(kinds, *part.span()):
            yield found.span()


def arrange_directions(lines: Sequence[Line], *, on_leftward: bool) -> None:
    """Move the words of lines so that they are read from left to right; a page that is read leftward is mirrored."""
    rights: dict[int, float] = {}
    for line in lines:
        rights[line.turn] = max(rights.get(line.turn, 0), line.right)
    for line in lines:
        if line.turn < 0 or not (on_leftward or LEFTWARD.search(line.text)):
            continue
        cells: list[list[Word]] = []
        places = [(left, right) for left, right, _ in line.words]
        for start, stop in _divide(places, line.height):
            cell = line.words[start:stop]
            text = " ".join(word[2] for word in cell)
            cell = _order_words(cell, leftward=_has_direction(text, on_leftward=on_leftward))
            moved = rights[line.turn] - cell[0][0] - max(right for _, right, _ in cell)
            cells.append([(a + moved, b + moved, t) for a, b, t in cell] if on_leftward else cell)
        line.keep([word for cell in (cells[::-1] if on_leftward else cells) for word in cell])


def _order_words(words: list[Word], *, leftward: bool) -> list[Word]:
    """Return a cell's words, moved so that their places are in the order they are read."""
    kinds = "".join(_find_word_kind(text) for _, _, text in words)
    turned = [*words]
    for run in _RUNS[leftward].finditer(kinds):
        some = slice(*run.span())
        turned[some] = (
            _mirror(words[some]) if leftward else _order_words(words[some], leftward=True)
        )
    if not leftward:
        return turned
    others = _RUNS[True].sub(lambda match: "l" * len(match.group()), kinds)
    for run in re.finditer("[dn]{2,}", others):
        some = slice(*run.span())
        if _GROUPED.match(" ".join(text for _, _, text in words[some])):
            turned[some] = _mirror(words[some])
    return _mirror(turned)


def _find_word_kind(text: str) -> str:
    if LEFTWARD.search(text):
        return "r"
    if letters := len(_LETTER.findall(text)):
        return "l" if letters > _SHORT_LETTERS else "u"
    if _SHORT_NUMBER.match(text):
        return "n"
    return "d" if any(map(str.isdigit, text)) else "o"


def _mirror(words: Sequence[Word]) -> list[Word]:
    ends = words[0][0] + max(right for _, right, _ in words)
    return [(ends - right, ends - left, text) for left, right, text in reversed(words)]
