"""Calls that an answer can do without: its judge's and its repair's; each yields to the phase's time."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from temporalio import activity

from activities.interceptor import settles
from contracts.errors import GreenlightError, ModelRejected, OutOfTime
from contracts.evidence.claims import JUDGE
from contracts.lost_inputs import LostInput
from contracts.models.call import ModelRequest, ModelResult
from contracts.notices import Notice
from domain.lost_inputs import explain_causes

SHARE = 0.85
"""Share of a phase's remaining time in which such calls may still be at work."""
Ask = Callable[[ModelRequest], Awaitable[ModelResult]]


class OptionalCalls:
    """Makes such calls for one answer while there is time; a failure is a lost input of the answer."""

    def __init__(self, request: ModelRequest, ask: Ask) -> None:
        self.lost: list[LostInput] = []
        self._ask = ask
        self._ends = _find_end(request.seconds_left)

    @property
    def are_out_of_time(self) -> bool:
        """Tell whether a call was left out or cut short for lack of time."""
        reasons = (cause.reason for lost in self.lost for cause in lost.causes)
        return OutOfTime.type() in reasons

    async def ask(self, request: ModelRequest) -> ModelResult:
        """Return the answer.

        Raises:
            OutOfTime: The phase's time is nearly used up: the call was not made, or was cut short.
            GreenlightError: As the call itself.
        """
        try:
            return await self._ask_in_time(request)
        except GreenlightError as error:
            is_split = isinstance(error, ModelRejected) and error.is_too_long
            if settles(error) and not is_split:
                code = "claims-unjudged" if request.role == JUDGE else "claims-unmended"
                lost = LostInput(
                    kind="check",
                    name=code,
                    causes=[error.loss_cause],
                    told=Notice.of(code, why=explain_causes([error.loss_cause])),
                    optional=True,
                )
                self.lost = [*(each for each in self.lost if each.key != lost.key), lost]
            raise

    async def _ask_in_time(self, request: ModelRequest) -> ModelResult:
        if self._ends is None:
            return await self._ask(request)
        if asyncio.get_running_loop().time() >= self._ends:
            raise OutOfTime("the phase's time is nearly used up")
        timeout = asyncio.timeout_at(self._ends)
        try:
            async with timeout:
                return await self._ask(request)
        except TimeoutError:
            if not timeout.expired():
                raise
            raise OutOfTime("the phase's time is nearly used up") from None


def _find_end(seconds_left: float | None) -> float | None:
    """Return the event loop's time at which optional work ends; None: there is no such time."""
    if seconds_left is None:
        return None
    waited = (datetime.now(UTC) - activity.info().scheduled_time).total_seconds()
    return asyncio.get_running_loop().time() + SHARE * seconds_left - waited
