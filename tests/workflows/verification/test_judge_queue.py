"""A phase's judge, whose calls combine the claims of all its agents."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from contracts.errors import OutOfTime
from contracts.evidence.checks import Check, JudgeResult, PlacedCheck
from contracts.evidence.claims import CitablePage, Citation, Claim, Judgement, Ruling
from contracts.notices import Notice
from workflows.verification.judge_queue import CLAIMS_PER_CALL, JudgeQueue, OpenClaims

KEPT: dict[str, Ruling] = {"old": ("not_shown", "no page says so")}


class Judge:
    """A judge who supports every sentence, once it may answer."""

    def __init__(self, failing: str = "", hanging: str = "") -> None:
        self.calls: list[list[str]] = []
        self.pages: list[list[int]] = []
        self.may_answer, self.hangs = asyncio.Event(), asyncio.Event()
        self.failing, self.hanging = failing, hanging

    async def ask(self, claims: Sequence[PlacedCheck], pages: list[CitablePage]) -> JudgeResult:
        texts = [placed.check.claim.text for placed in claims]
        self.calls.append(texts)
        self.pages.append([page.number for page in pages])
        await self.may_answer.wait()
        if texts[0] == self.hanging:
            self.hangs.set()
            await asyncio.Event().wait()
        if texts[0] == self.failing:
            raise OutOfTime(Notice.of("cause-time-nearly"))
        held = [
            Judgement(claim=n, verdict="supported", reason="")
            for n, _ in enumerate(claims, start=1)
        ]
        return JudgeResult(verdicts=[one for one in held if texts[one.claim - 1] != "silent"])


def claims(*texts: str, page: int = 1, writer: str | None = "") -> OpenClaims:
    cited = [Citation(source=page, quote="q")]
    placed = {
        text: PlacedCheck(check=Check(outcome="open", claim=Claim(text=text, citations=cited)))
        for text in texts
    }
    return OpenClaims(placed, [CitablePage(number=page, title="", text_key="k")], writer)


async def begin(queue: JudgeQueue, judge: Judge, *asked: OpenClaims) -> list[asyncio.Task[None]]:
    tasks = []
    for each in asked:
        tasks.append(asyncio.create_task(queue.judge(each, judge.ask)))
        await asyncio.sleep(0)
    return tasks


async def test_claims_that_wait_for_the_judge_share_the_next_call() -> None:
    kept: dict[str, Ruling] = {}
    queue, judge = JudgeQueue(KEPT, kept.update), Judge()
    asked = claims("a"), claims("b", "silent", page=2), claims("c", "old", page=3)
    tasks = await begin(queue, judge, *asked)
    assert judge.calls == [["a"]], "one call is in flight"
    judge.may_answer.set()
    await asyncio.gather(*tasks)
    assert judge.calls == [["a"], ["b", "silent", "c"]], "what was ruled before is not asked again"
    assert judge.pages == [[1], [2, 3]]
    assert kept == dict.fromkeys("abc", ("supported", ""))
    assert "silent" not in queue.found


async def test_claims_wait_for_the_agents_that_are_writing() -> None:
    queue, judge = JudgeQueue({}, lambda _: None), Judge()
    judge.may_answer.set()
    asked = [claims(name, writer=name) for name in "ab"]
    with queue.expect("a"):
        with queue.expect("b"), queue.expect("c"):
            tasks = await begin(queue, judge, *asked)
            for _ in range(5):
                await asyncio.sleep(0)
            assert not judge.calls, "the third has claims yet to come"
        await asyncio.gather(*tasks)
    assert judge.calls == [["a", "b"]], "once it has ended without any, the others are due"


async def test_answers_that_share_no_call_are_judged_side_by_side() -> None:
    queue, judge = JudgeQueue({}, lambda _: None), Judge()
    with queue.expect("a"):
        tasks = await begin(queue, judge, claims("a", writer=None), claims("b", writer=None))
        assert judge.calls == [["a"], ["b"]], (
            "neither waits for the other, nor for an agent at work"
        )
        judge.may_answer.set()
        await asyncio.gather(*tasks)
    assert queue.found.keys() == {"a", "b"}


async def test_agent_in_a_hurry_has_all_claims_asked_about() -> None:
    queue, judge = JudgeQueue({}, lambda _: None), Judge()
    judge.may_answer.set()
    one, late = claims("a", writer="a"), claims("b", writer="a")
    with queue.expect("a"), queue.expect("b"):
        tasks = await begin(queue, judge, one)
        queue.hurry()
        await asyncio.gather(*tasks)
        tasks = await begin(queue, judge, late)
        await asyncio.sleep(0)
        assert judge.calls == [["a"]], "the hurry was of the call before"
    await asyncio.gather(*tasks)
    assert judge.calls == [["a"], ["b"]]


async def test_many_claims_are_asked_about_in_equal_parts() -> None:
    queue, judge = JudgeQueue({}, lambda _: None), Judge()
    judge.may_answer.set()
    await queue.judge(claims(*map(str, range(2 * CLAIMS_PER_CALL + 2))), judge.ask)
    assert [len(texts) for texts in judge.calls] == [CLAIMS_PER_CALL + 1] * 2


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_claims_that_shared_a_failed_call_are_asked_about_again(is_cancelled: bool) -> None:
    judge = Judge(hanging="b") if is_cancelled else Judge(failing="b")
    queue = JudgeQueue({}, lambda _: None)
    tasks = await begin(queue, judge, claims("a"), claims("b"), claims("c"))
    judge.may_answer.set()
    await tasks[0]
    if is_cancelled:
        await judge.hangs.wait()
        tasks[1].cancel()
    ended: list[Any] = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in ended[1:]] == [
        asyncio.CancelledError if is_cancelled else OutOfTime,
        type(None),
    ]
    assert judge.calls[-1][-1] == "c"
    assert "c" in queue.found
