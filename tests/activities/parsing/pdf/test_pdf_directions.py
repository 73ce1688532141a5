"""Words and figures of a PDF's line with right-to-left text are read in the order in which they are spoken."""

import io
import re

import pytest
from pypdf import PdfWriter

from activities.parsing.pdf.directions import arrange_directions, list_signs, read_line
from activities.parsing.pdf.lines import make_line
from activities.parsing.read_document import read_document
from bench.documents.parsing_fidelity import FIXTURES

HEBREW = {chr(ord("A") + n): chr(0x05D0 + n) for n in range(26)}
ARABIC = {chr(ord("A") + n): chr(0x0627 + n) for n in range(20)}


def read(shown: str, letters: dict[str, str], *, on_leftward: bool = True) -> str:
    """Return how a line is read that shows these characters from left to right; capitals are right-to-left letters."""
    text = "".join(letters.get(char, char) for char in shown)
    lefts, zeros, tens = [6.0 * n for n in range(len(text))], [0.0] * len(text), [10.0] * len(text)
    signs = list_signs(text, 0, [lefts, zeros, [left + 6 for left in lefts], zeros, tens])
    y, height, words = read_line([*signs], on_leftward=on_leftward)
    line = make_line(y, height, words, 0)
    arrange_directions([line], on_leftward=on_leftward)
    back = {letter: capital for capital, letter in letters.items()}
    return "".join(back.get(char, char) for char in line.text)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("CBA", "ABC"),
        ("C ,2024 B 12.5 A", "A 12.5 B 2024, C"),
        ("C 2020-2024 BA", "AB 2020-2024 C"),
        ("C 2024–2020 BA", "AB 2020–2024 C"),
        ("31.12.2024-B A", "A B-31.12.2024"),
        (".%5 B % 7 A", "A 7 % B 5%."),
        ("C .(11.9 B 12.5) A", "A (12.5 B 11.9). C"),
        ("B -5 A 5- C", "C -5 A -5 B"),
        ("B €1,030 A", "A €1,030 B"),
        ("B 12 000 500 A", "A 12 000 500 B"),
        ("B 500 12 A", "A 12 500 B"),
        ("B ,world bank group 2 A", "A world bank group 2, B"),
        ("B office 365 A", "A office 365 B"),
        ("B mw 12.5 A", "A 12.5 mw B"),
        ("B megawatt 12.5 A", "A 12.5 megawatt B"),
        ("B office 5% A", "A 5% office B"),
        ("B programme (undp) A", "A programme (undp) B"),
        ("B (undp) A", "A (undp) B"),
    ],
)
def test_line_of_a_page_that_is_read_leftward(shown: str, text: str) -> None:
    assert read(shown, HEBREW) == text


def test_range_behind_arabic_letters_is_shown_from_right_to_left() -> None:
    """Digits behind Arabic letters are Arabic numbers, which a hyphen divides."""
    assert read("B 2024-2020 A", ARABIC) == "A 2020-2024 B"
    assert read("%5 B 45.20$ A", ARABIC) == "A $45.20 B 5%"
    assert read("٪٥٠ B ٤٬١٢٠ A", ARABIC) == "A ٤٬١٢٠ B ٥٠٪"


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("he said B 12.5 A in 2024", "he said A 12.5 B in 2024"),
        ("he said “C 12 B A” of 2024", "he said “A B 12 C” of 2024"),
        ("the year was long    2024 B 12.5 A", "the year was long A 12.5 B 2024"),
        ("he names the CBA, 2024", "he names the ABC, 2024"),
    ],
)
def test_words_within_a_line_that_is_read_rightward(shown: str, text: str) -> None:
    assert read(shown, HEBREW, on_leftward=False) == text


def test_ligature_of_lam_and_alef_is_read_as_its_letters_and_a_raised_figure_as_a_mark() -> None:
    lam, alef = "\u0644", "\u0627"
    lefts, rights = [20.0, 12, 12, 8, 0], [26.0, 20, 20, 12, 5]
    bases, heights = [0.0, 0, 0, 4, 0], [10.0, 10, 10, 6, 10]
    places = [lefts, bases, rights, bases, heights]
    signs = list_signs(f"\u0628{alef}{lam}1\u0633", 0, places)
    _, _, words = read_line([*signs], on_leftward=True)
    assert [word[2] for word in words] == ["\u0633", f"\u0628{lam}{alef} [1]"]


def test_a_turned_page_is_read_as_an_upright_one() -> None:
    upright = (FIXTURES / "pdf-right-to-left-hebrew" / "input.pdf").read_bytes()
    writer, turned = PdfWriter(io.BytesIO(upright)), io.BytesIO()
    writer.pages[0].rotate(90)
    writer.write(turned)
    texts = [read_document(body, "").text for body in (upright, turned.getvalue())]
    words = [re.findall(r"[^\W\d_]{3,}|\d+(?:[.,]\d+)*", text) for text in texts]
    assert words[0] == words[1]


def test_columns_of_a_page_that_is_read_leftward_begin_on_the_right() -> None:
    row = make_line(0, 10, [(0, 20, "12.5"), (60, 80, "11.9"), (120, 150, "\u05d0")], 0)
    arrange_directions([row], on_leftward=True)
    assert [text for _, _, text in row.words] == ["\u05d0", "11.9", "12.5"]
    assert [left for left, _, _ in row.words] == [0, 70, 130]
