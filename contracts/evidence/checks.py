"""Verification of an answer's claims: checks by code, a judge's questions, a writer's repairs."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Json
from contracts.evidence.claims import Claim, Judgement, Ruling, Verdict
from contracts.evidence.reasons import Reason
from contracts.models.call import ModelRequest, Scope
from contracts.models.usage import Usage

Outcome = Literal["holds", "open", "fails"]


class Check(Contract):
    """The result of checking a claim by code: its located quotes, and its verdict."""

    outcome: Outcome
    claim: Claim
    bases: tuple[Claim, ...] = Field(
        default=(), description="what a conclusion rests on, with the quotes of each"
    )
    periods: tuple[str, ...] = Field(
        default=(), description="periods of its quotes, where they are several"
    )
    problems: tuple[Reason, ...] = Field(default=(), description="what code refuses it for")
    wholes: tuple[str, ...] = Field(
        default=(),
        description="the sentence, row or list item that each quote is cut from; empty if it is not cut",
    )
    unquoted: tuple[str, ...] = Field(
        default=(), description="its figures that stand in no quote and may follow from some"
    )
    openings: tuple[tuple[int, tuple[int, int]], ...] = Field(
        default=(),
        description="where the openings of its pages tell the days that it names, each with its source",
    )


class PlacedCheck(Contract):
    """A claim, the result of the code's checks, and its place."""

    place: str = Field(default="", description="the heading, row and column next to it")
    check: Check
    before: str = Field(default="", description="the sentence that it follows there")


class AnswerCall(Contract):
    """A step of the verification of one answer."""

    call: ModelRequest = Field(description="the call that it costs, or that it belongs to")

    @property
    def scope(self) -> Scope:
        """Its place in the run."""
        return self.call.scope


class CheckRequest(AnswerCall):
    """A model's answer whose claims `claims.verify` checks against their sources, without a model call."""

    output: Json | None
    inputs: dict[str, Json] = Field(
        default={}, description="changes of a report in the answer, by the ids of its tool calls"
    )
    judged: dict[str, Ruling] = Field(
        default={}, description="what the judge said of this answer's claims before, by digest"
    )


class CheckedAnswer(Contract):
    """The claims of an answer in their order, those in its output first, as code found them."""

    claims: list[Claim | None] = Field(
        description="null: as it stands among those left to the judge"
    )
    digests: list[str]
    open: dict[int, PlacedCheck] = Field(description="those left to the judge, by their place")


class JudgeRequest(AnswerCall):
    """Claims that the judge is asked about in one call."""

    claims: list[PlacedCheck]


class JudgeResult(Contract):
    """The judge's verdicts, by the numbers of the claims in the request."""

    verdicts: list[Judgement] = []
    is_too_long: bool = Field(default=False, description="half of the claims may fit its window")
    usage: Usage = Usage()


class FailedClaim(Contract):
    """A claim that did not hold: its place among an answer's, as it was written, and what was found."""

    at: int
    place: str = ""
    claim: Claim
    verdict: Verdict
    doubts: list[Reason]


class MendRequest(AnswerCall):
    """Claims that their writer is asked to repair in one call."""

    output: Json = Field(description="the answer as it was written")
    failed: list[FailedClaim]
    held: dict[str, str] = Field(default={}, description="sentences that held, by their ids")


class MendedClaim(Contract):
    """The replacement of a claim."""

    at: int
    claim: Claim | None = None
    is_null: bool = Field(
        default=False, description="without a claim: it becomes null, as a cell may"
    )


class MendResult(Contract):
    """The repairs that the answer's schema allows."""

    changes: list[MendedClaim] = []
    usage: Usage = Usage()
