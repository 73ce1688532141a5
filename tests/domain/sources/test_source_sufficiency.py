"""Messages about insufficient cited sources."""

import pytest

from contracts.phases.validation import CheckedSource, ValidationConfig
from domain.sources.source_sufficiency import find_shortage

STATES: dict[str, tuple[int | None, int | None]] = {
    "live": (200, 3),
    "old": (200, 400),
    "undated": (200, None),
    "gone": (404, 3),
    "emptied": (200, 3),
    "silent": (None, None),
}
"""What a source answered, and how old it is in days."""


def cited(states: str) -> list[CheckedSource]:
    """Return sources written as `state@publisher`, or as `state` for one with a unique publisher."""
    found = []
    for position, state in enumerate(states.split(), start=1):
        name, at, publisher = state.partition("@")
        status, age = STATES[name]
        found.append(
            CheckedSource(
                position=position,
                url=f"https://example.org/{position}",
                publisher=publisher if at else f"publisher {position}",
                age_days=age,
                status=status,
                is_live=name in {"live", "old", "undated"},
                counts=name == "live",
            )
        )
    return found


LIVE, CITED = "sources-not-live", "sources-not-cited"
RECENT, INDEPENDENT = "sources-not-recent", "sources-not-independent"


@pytest.mark.parametrize(
    ("states", "least", "told"),
    [
        ("live live", 2, {}),
        ("live live gone silent old", 2, {}),
        ("live@a live@a live@b", 2, {}),
        ("", 2, {CITED: {"least": 2}}),
        ("gone silent", 2, {LIVE: {"n": 0, "of": 2}}),
        ("live emptied emptied", 2, {LIVE: {"n": 1, "of": 3}, INDEPENDENT: {}}),
        ("live live", 3, {LIVE: {"n": 2, "of": 2, "least": 3}}),
        ("live live gone", 3, {LIVE: {"n": 2, "of": 3}}),
        ("live gone", 2, {LIVE: {"n": 1, "of": 2}, INDEPENDENT: {}}),
        ("old old", 2, {RECENT: {"n": 2, "old": 2, "days": 30, "least": 2}}),
        ("old old gone gone gone", 2, {RECENT: {"n": 2, "old": 2}}),
        ("undated undated", 2, {RECENT: {"n": 2, "undated": 2}}),
        ("live old undated silent", 2, {RECENT: {"n": 3, "old": 1, "undated": 1}}),
        ("live old gone", 3, {LIVE: {"n": 2, "of": 3}, RECENT: {"n": 2, "old": 1}}),
        ("live@AP live@ap gone@b", 2, {INDEPENDENT: {"publishers": "ap", "least": 2}}),
        ("old@AP old@AP", 2, {RECENT: {"n": 2, "old": 2}, INDEPENDENT: {"publishers": "AP"}}),
        ("live old", 1, {INDEPENDENT: {"publishers": "publisher 1"}}),
        ("live@ live@", 2, {"sources-unnamed": {"unnamed": 2, "of": 2}}),
        ("live@ live@a", 2, {INDEPENDENT: {"publishers": "a", "unnamed": 1, "of": 2}}),
    ],
)
def test_each_reason_is_told_where_it_holds(
    states: str, least: int, told: dict[str, dict[str, object]]
) -> None:
    found = find_shortage(cited(states), ValidationConfig(min_sources=least), 30)
    assert [notice.code for notice in found] == list(told)
    for notice, params in zip(found, told.values(), strict=True):
        assert {name: notice.params.get(name) for name in params} == params
