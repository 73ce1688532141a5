"""What is said of cited sources that do not suffice."""

import pytest

from contracts.phases.validation import CheckedSource, ValidationConfig
from workflows.agents.source_checks import find_shortage

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
    """Return sources in these states, each `state@publisher` or of a publisher of its own; `@` alone: of none."""
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


@pytest.mark.parametrize(
    ("states", "least", "says"),
    [
        ("live live", 2, []),
        ("live live gone silent old", 2, []),
        ("live@a live@a live@b", 2, []),
        ("", 2, ["live sources: no source is cited; at least 2 must be"]),
        ("gone silent", 2, ["live sources: 0 of 2 cited sources answered"]),
        (
            "live emptied emptied",
            2,
            ["live sources: 1 of 3 cited sources answered", "independent sources: they are by"],
        ),
        ("live live", 3, ["live sources: 2 of 2 cited sources answered"]),
        ("live live gone", 3, ["live sources: 2 of 3 cited sources answered"]),
        (
            "live gone",
            2,
            ["live sources: 1 of 2 cited sources answered", "independent sources: they are by"],
        ),
        ("old old", 2, ["recent sources: 2 answered, 2 older than 30 days"]),
        ("old old gone gone gone", 2, ["recent sources: 2 answered, 2 older than 30 days"]),
        ("undated undated", 2, ["recent sources: 2 answered, 2 without a date"]),
        (
            "live old undated silent",
            2,
            ["recent sources: 3 answered, 1 older than 30 days, 1 without a date"],
        ),
        (
            "live old gone",
            3,
            [
                "live sources: 2 of 3 cited sources answered",
                "recent sources: 2 answered, 1 older than 30 days",
            ],
        ),
        ("live@AP live@ap gone@b", 2, ["independent sources: they are by ap;"]),
        (
            "old@AP old@AP",
            2,
            ["recent sources: 2 answered, 2 older", "independent sources: they are by AP;"],
        ),
        ("live old", 1, ["independent sources: they are by publisher 1"]),
        ("live@ live@", 2, ["independent sources: 2 of 2 name no publisher;"]),
        ("live@ live@a", 2, ["independent sources: they are by a, 1 of 2 name no publisher;"]),
    ],
)
def test_each_reason_is_told_where_it_holds(states: str, least: int, says: list[str]) -> None:
    told = find_shortage(cited(states), ValidationConfig(min_sources=least), 30)
    assert len(told) == len(says)
    for sentence, reason in zip(told, says, strict=True):
        kind, _, rest = reason.partition(": ")
        assert f"{kind} to stand behind this answer: {rest}" in sentence
        if not kind.startswith("independent"):
            more = " be recent" if kind.startswith("recent") else "" if states else " be"
            assert sentence.endswith(f"; at least {least} must{more}")
