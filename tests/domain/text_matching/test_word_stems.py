"""The beginnings of words, by which texts are compared."""

from domain.text_matching.word_stems import list_stems


def test_words_are_known_by_their_beginnings() -> None:
    assert list_stems("Solar PUMPS of 12 farms") == {"sola", "pump", "12", "farm"}
    assert list_stems("the of and") == set()


def test_plural_in_ies_has_the_stem_of_its_word() -> None:
    assert list_stems("Romania's and Bulgaria's economies") >= list_stems("economy")
    assert list_stems("energies countries") == list_stems("energy country")
