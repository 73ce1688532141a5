"""A model or tool call as the journal takes it and gives it back."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Json
from contracts.models.call import Scope
from contracts.runs.records import Event
from contracts.terms import Usage


class CallSpec(Contract):
    """A call to be claimed; scope, less its name, and request hash are its idempotency key."""

    scope: Scope
    kind: Literal["model", "tool"]
    request_hash: str
    model: str = ""
    reserved_usd: float = Field(default=0.0, description="most that it may cost")
    cap_usd: float = Field(default=0.0, description="a call that would pass it is not claimed")
    events: list[Event] = Field(default=[], description="appended to the run's log with the claim")


class CallResult(Contract):
    """What a call returned and cost, and the events that say so; all three are settled at once."""

    result: Json
    usage: Usage
    events: list[Event] = []


class SettledCall(Contract):
    """A call in the journal; `reused` when an earlier attempt made and paid it."""

    result: Json
    usage: Usage
    reused: bool
