"""The passage of a text that bears most on a query."""

import pytest

from domain.passages import PASSAGE_CHARS, find_passage

TEXT = (
    "# Field notes\n\nPumps are sold.\nSolar pumps of Kenya serve 4,711 farms.\nKenya is large.\n"
)


@pytest.mark.parametrize(
    ("query", "line", "shared"),
    [
        ("Solar pump in Kenya", "Solar pumps of Kenya serve 4,711 farms.", 3),
        ("KENYAN SOLAR POWER", "Solar pumps of Kenya serve 4,711 farms.", 2),
        ("How large is it?", "Kenya is large.", 1),
        ("the of and", "# Field notes", 0),
        ("", "# Field notes", 0),
    ],
)
def test_the_line_with_most_of_the_words_is_shown(query: str, line: str, shared: int) -> None:
    assert find_passage(TEXT, query) == (line, shared)


def test_a_passage_is_short_whatever_the_text() -> None:
    passage, shared = find_passage("Kenya " * 300_000, "Kenya")
    assert (len(passage), shared) == (PASSAGE_CHARS, 1)
    assert find_passage("", "Kenya") == ("", 0)
