"""Which of the real services a stack stands in for, and what its processes are told of them."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from greenlight.stack.home import Home
from greenlight.stack.layout import Layout
from settings import Settings

KEYS = {"brave_api_key": SecretStr("b"), "anthropic_api_key": SecretStr("a")}
CONTACT = {"edgar_contact": "Acme ops@acme.example"}


def layout(home: Path, given: dict[str, Any], library: Path | None = None) -> Layout:
    settings = Settings(greenlight_signing_key=SecretStr("s"), **given)
    return Layout(Home(home), settings, library)


def test_without_keys_edgar_is_one_of_the_offline_services(tmp_path: Path) -> None:
    made = layout(tmp_path, {})
    at, told = made.offline, made.environment
    assert at["edgar"] == at["search"] == at["model"]
    assert told["EDGAR_BASE_URL"] == told["EDGAR_WWW_URL"] == at["edgar"]
    assert "@" in told["EDGAR_CONTACT"]


@pytest.mark.parametrize("given", [KEYS, CONTACT, KEYS | CONTACT])
def test_edgar_is_real_with_a_search_key_or_a_contact(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    """Figures of a sample have no place in a report on the real web: rather none, with the reason."""
    made = layout(tmp_path, given)
    assert "edgar" not in made.offline
    assert not [name for name in made.environment if name.startswith("EDGAR")]


def test_facts_in_the_library_are_read_despite_a_contact(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    assert "edgar" not in layout(tmp_path, CONTACT, library).offline
    (library / "CIK0000000077.json").write_text("{}")
    assert "edgar" in layout(tmp_path, CONTACT, library).offline
