"""The catalogue of the words in which a reason is told: the only test of these words."""

from string import Formatter
from typing import get_args

import pytest

from contracts.evidence.reasons import WORDS, Reason, ReasonCode, join_reasons

PARAMS: dict[str, str | int] = {
    "source": 3,
    "quote": "No.",
    "near": "Yes.",
    "base": "r1",
    "shown": "5%",
    "quoted": "6%",
    "error": "it failed",
    "text": "by whom?",
}
CODES: tuple[ReasonCode, ...] = get_args(ReasonCode)


@pytest.mark.parametrize("code", CODES)
def test_each_reason_has_words_for_what_it_names(code: ReasonCode) -> None:
    holes = [name for _, name, _, _ in Formatter().parse(WORDS[code]) if name]
    told = Reason(code=code, params={name: PARAMS[name] for name in holes}).text
    assert all(f"{PARAMS[name]}" in told for name in holes)
    assert told
    assert "{" not in told


def test_reasons_are_joined_in_their_order() -> None:
    told = [Reason(code="uncited"), Reason(code="source-unknown", params={"source": 3})]
    assert join_reasons(told) == "no source is cited; source 3 does not exist"
