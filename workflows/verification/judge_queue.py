"""The judge of a phase: one call at a time, which the claims of all its agents share."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from contracts.evidence.checks import JudgeResult, PlacedCheck
from contracts.evidence.claims import CitablePage, Claim, Judgement, Ruling
from contracts.evidence.reasons import Reason

CLAIMS_PER_CALL = 40
"""Claims per call of the judge; up to half as many more if they would make a small call of their own."""
RESTATED_SHARE = 0.25
"""Weight of a claim for which the judge sees no quotes."""

T = TypeVar("T")
Rulings = Mapping[str, Ruling]
Ask = Callable[[Sequence[PlacedCheck], list[CitablePage]], Awaitable[JudgeResult]]


@dataclass
class OpenClaims:
    """The claims of one answer that wait for their verdicts, by digest, and the pages that they may cite."""

    claims: dict[str, PlacedCheck] = field(default_factory=dict)
    pages: Sequence[CitablePage] = ()
    writer: str | None = None
    """The agent that wrote the claims; None to judge them in a separate call, without waiting."""


class JudgeQueue:
    """Asks the judge about the claims of several agents in one call.

    An agent's claims wait until every other agent that is writing has claims for the judge, or an agent needs its
    verdicts to go on. Claims that come while a call is in flight are in a later one.
    """

    def __init__(self, judged: Rulings, keep: Callable[[Rulings], None]) -> None:
        self.found: dict[str, Judgement] = {
            digest: Judgement(claim=1, verdict=verdict, reason=reason)
            for digest, (verdict, reason) in judged.items()
            if verdict
        }
        """The verdicts by digest."""
        self._keep = keep
        self._waiting: list[OpenClaims] = []
        self._call = asyncio.Lock()
        self._writing: set[str] = set()
        self._is_urgent = False
        self._changed = asyncio.Event()

    @contextmanager
    def expect(self, writer: str) -> Iterator[None]:
        """Let the claims of other agents wait for those of an agent that is at work."""
        self._writing.add(writer)
        try:
            yield
        finally:
            self._writing.discard(writer)
            self._wake()

    def hurry(self) -> None:
        """Ask about all claims that wait: an agent cannot go on without its verdicts."""
        self._is_urgent = True
        self._wake()

    def _wake(self) -> None:
        """Let each answer that waits look whether its claims are due, or ruled."""
        self._changed.set()
        self._changed.clear()

    def _is_due(self) -> bool:
        writers = {each.writer for each in self._waiting}
        return self._is_urgent or self._writing <= writers

    async def judge(self, asked: OpenClaims, ask: Ask) -> None:
        """Wait until the judge was asked about these claims, and has its verdicts in `found` but of those it passed over.

        Raises what `ask` raises, for these claims alone: others that shared its call are asked about again.
        """
        left = {digest: one for digest, one in asked.claims.items() if digest not in self.found}
        mine = OpenClaims(left, asked.pages, asked.writer)
        if asked.writer is None:
            return await self._ask_about([mine], ask)
        self._waiting.append(mine)
        self._wake()
        try:
            while mine.claims and not self._is_due():
                await self._changed.wait()
            async with self._call:
                if mine.claims:
                    self._is_urgent = False
                    await self._ask_about([*self._waiting], ask)
        finally:
            self._waiting = [each for each in self._waiting if each is not mine]
            self._wake()

    async def _ask_about(self, taken: Sequence[OpenClaims], ask: Ask) -> None:
        """Ask about the claims of answers, in as few calls as they fit in."""
        claims = {digest: one for each in taken for digest, one in each.claims.items()}
        pages = list({page.number: page for each in taken for page in each.pages}.values())
        weight = sum(1 if _is_quoted(one) else RESTATED_SHARE for one in claims.values())
        parts = deque(split_places([*claims], weight))
        while parts:
            part = parts.popleft()
            answer = await ask([claims[digest] for digest in part], pages)
            if answer.is_too_long:
                half = len(part) // 2
                parts.extendleft((part[half:], part[:half]))
            verdicts = [each for each in answer.verdicts if 0 < each.claim <= len(part)]
            found = {part[each.claim - 1]: each for each in verdicts}
            self.found |= found
            self._keep(_list_rulings(found, claims))
        for each in taken:
            each.claims.clear()


def _list_rulings(
    found: Mapping[str, Judgement], claims: Mapping[str, PlacedCheck]
) -> dict[str, Ruling]:
    ruled = {d: apply_judgement(each, claims[d].check.claim) for d, each in found.items()}
    return {digest: (claim.verdict, claim.reason) for digest, claim in ruled.items()}


def apply_judgement(judged: Judgement, claim: Claim) -> Claim:
    """Return a claim with the verdict that a judge gave it, and its reason, if it does not hold."""
    if judged.verdict == "supported":
        return claim.rule(judged.verdict)
    if not judged.reason:
        return claim.rule(judged.verdict, Reason(code="judged-silently"))
    return claim.rule(judged.verdict, Reason(code="judged", params={"text": judged.reason}))


def _is_quoted(placed: PlacedCheck) -> bool:
    """Return True if the judge sees quotes for the claim: its own, or those of its premises."""
    check = placed.check
    return bool(check.claim.citations or any(base.citations for base in check.bases))


def split_places(places: Sequence[T], weight: float) -> list[Sequence[T]]:
    """Split claims into equal parts of about `CLAIMS_PER_CALL` by weight; small remainders join other calls."""
    calls = max(round(weight / CLAIMS_PER_CALL), 1)
    size = -(-len(places) // calls)
    return [places[first : first + size] for first in range(0, len(places), size or 1)]
