"""The beginnings of words, by which texts are compared."""

from domain.word_stems import list_stems


def test_words_are_known_by_their_beginnings() -> None:
    assert list_stems("Solar PUMPS of 12 farms") == {"sola", "pump", "12", "farm"}
    assert list_stems("the of and") == set()
