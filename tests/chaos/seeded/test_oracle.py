"""The oracle: which answers it takes as paid twice, and which sentences as unfounded."""

import httpx
import pytest

from tests.chaos.seeded.oracle import ProviderCount, Settling, Struck, is_unheard, list_bare
from tests.chaos.seeded.schedule import Fault, Kind
from tests.support.offline_services import Providers

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


@pytest.mark.parametrize(
    ("settled", "is_paid_again"),
    [
        ([(AT - 1, AT + 0.1), (AT + 9, AT + 10.1)], False),  # two calls, as a step of its own
        ([(AT + 9, AT + 10.1)], True),  # one call, claimed again: its first answer was forgotten
        ([(AT - 1, AT + 0.1)], True),
        ([(AT - 1, AT + 0.1), (AT + 3, AT + 5)], True),  # the other call is another request's
        ([(AT - 1, AT + 20), (AT + 9, AT + 10.1), (AT + 3, AT + 5)], False),
        ([(AT - 1, AT + 20), (AT + 3, AT + 5)], True),
    ],
)
async def test_request_answered_twice_is_paid_again_unless_two_calls_were_settled(
    settled: list[Settling], *, is_paid_again: bool
) -> None:
    async with httpx.AsyncClient() as http:
        count = ProviderCount(Providers(http))
    count.answered |= {("/v1/messages", "asked"): [AT, AT + 10], ("/v1/messages", "b"): [AT + 4]}
    assert bool(count.list_paid_again([], settled)) is is_paid_again


def test_claim_without_note_and_mark_is_bare_at_any_depth() -> None:
    noted = {"text": "a", "number": 1, "notes": [1], "marks": []}
    marked = {"text": "b", "number": 2, "notes": [], "marks": [{"code": "assumption"}]}
    bare = {"text": "c", "number": 3, "notes": [], "marks": []}
    document = {"blocks": [{"sentences": [noted, marked]}, {"rows": [{"cells": [bare]}]}]}
    assert [*list_bare(document)] == ["c"]
