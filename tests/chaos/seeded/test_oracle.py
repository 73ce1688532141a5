"""The oracle: which answers it takes as paid twice, and which sentences as unfounded."""

import pytest

from tests.chaos.seeded.oracle import Struck, is_unheard, list_bare
from tests.chaos.seeded.schedule import Fault, Kind

AT = 1000.0


def struck(kind: Kind, target: str, began: float, seconds: float = 0.0) -> Struck:
    return Struck(Fault(kind, target, 0, seconds), AT + began, AT + began + seconds)


@pytest.mark.parametrize(
    ("faults", "unheard"),
    [
        ([], False),
        ([struck("kill", "worker", 1)], True),
        ([struck("kill", "worker", 9)], False),
        ([struck("kill", "gateway", 1)], False),
        ([struck("away", "postgres", 0, 7)], False),
        ([struck("away", "postgres", 0, 7), struck("kill", "worker", 9)], True),
        ([struck("freeze", "worker", 1, 5), struck("kill", "worker", 8)], True),
        ([struck("cut", "offline", 0, 2)], True),
        ([struck("cut", "temporal", 0, 2)], False),
    ],
)
def test_answer_is_unheard_where_its_worker_died_before_it_was_settled(
    faults: list[Struck], unheard: bool
) -> None:
    assert is_unheard(AT, faults) is unheard


def test_claim_without_note_and_mark_is_bare_at_any_depth() -> None:
    noted = {"text": "a", "number": 1, "notes": [1], "marks": []}
    marked = {"text": "b", "number": 2, "notes": [], "marks": [{"code": "assumption"}]}
    bare = {"text": "c", "number": 3, "notes": [], "marks": []}
    document = {"blocks": [{"sentences": [noted, marked]}, {"rows": [{"cells": [bare]}]}]}
    assert [*list_bare(document)] == ["c"]
