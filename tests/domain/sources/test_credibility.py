"""Credibility notes by code: each note appears only where it applies."""

import pytest

from contracts.media_types import DOCX, EML, PDF, XLSX
from contracts.words import LANGUAGES
from domain.sources.credibility import note_credibility
from tests.support.sources import page

GOOD = page(
    "https://www.reuters.com/world/pumps",
    author="Ann Otieno",
    publisher="Reuters",
    published="2026-01-02",
    retrieved_at="2026-02-01T10:00:00+00:00",
    content_type="text/html",
    chars=5_000,
)


def test_credible_source_has_no_notes() -> None:
    assert note_credibility(GOOD) == []


@pytest.mark.parametrize("url", ["file:///notes.md", "http://127.0.0.1:80/pages/notes.md"])
def test_the_users_own_document_has_no_notes(url: str) -> None:
    own = {"url": url, "published": None, "author": "", "publisher": "", "chars": 20}
    told = {**own, "file_name": "notes.md" if url.startswith("file:") else ""}
    assert note_credibility(GOOD.model_copy(update={**told, "content_type": "text/plain"})) == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"published": None}, "source-undated"),
        ({"published": "2026-02-03"}, "source-dated-later"),
        ({"author": "", "publisher": ""}, "source-nameless"),
        ({"author": "", "publisher": "reuters.com"}, "source-nameless"),
        (
            {"author": "", "publisher": "127.0.0.1:80", "url": "http://127.0.0.1:80/"},
            "source-nameless",
        ),
        ({"url": "http://www.reuters.com/x"}, "source-unencrypted"),
        ({"chars": 299}, "source-short"),
        ({"content_type": "text/plain"}, "source-plain"),
        ({"content_type": PDF}, "source-metadata"),
        ({"content_type": DOCX}, "source-metadata"),
        ({"content_type": XLSX}, "source-metadata"),
        ({"content_type": EML}, "source-heads"),
        ({"url": "https://pumps.example.org/"}, "source-foreign-host"),
        ({"url": "https://reuters.medium.com/x"}, "source-by-users"),
        ({"url": "https://forum.reuters.com/x"}, "source-by-users"),
        ({"url": "https://www.reuters.com/forum/x"}, "source-by-users"),
    ],
)
def test_weakness_of_a_source_is_noted(changes: dict[str, object], code: str) -> None:
    [note] = note_credibility(GOOD.model_copy(update=changes))
    assert note.code == code
    assert all(note.say(language) for language in LANGUAGES)


@pytest.mark.parametrize(
    "changes",
    [
        {"published": "2026-02-01T23:00:00Z"},
        {"author": ""},
        {"publisher": "www.reuters.com"},
        {"url": "http://127.0.0.1:8123/kenya", "publisher": "Water Today"},
        {"url": "http://[::1]:8123/kenya", "publisher": "Water Today"},
        {"url": "https://www.iea.org/", "publisher": "International Energy Agency"},
        {
            "url": "https://www.fao.org/",
            "publisher": "Food and Agriculture Organization of the United Nations",
        },
        {"url": "https://data.worldbank.org/", "publisher": "The World Bank"},
        {"url": "https://www.lemonde.fr/", "publisher": "Le Monde"},
        {"url": "https://energie-agence.fr/", "publisher": "Énergie Agence"},
        {"url": "https://example.org/", "publisher": "新华社"},
        {"url": "https://www.reuters.com/community-forums/x"},
        {"chars": 300},
    ],
)
def test_harmless_trait_of_a_source_is_not_noted(changes: dict[str, object]) -> None:
    assert note_credibility(GOOD.model_copy(update=changes)) == []
