"""A search service's answer: its hits, or why there are none."""

from pydantic import Field

from contracts.base import Contract
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.runs.lost_inputs import LossCause
from contracts.search import ServiceName


class ServiceHit(Contract):
    """One result of one service, as it lists it."""

    service: ServiceName
    rank: int = Field(ge=1, description="its place among the service's results")
    url: str
    title: str = ""
    snippet: str = ""
    published: str | None = Field(default=None, description="ISO date, as the service knows it")


class ServiceFailure(Contract):
    """Why a service returned no or incomplete results while another one returned some."""

    service: ServiceName
    words: Notice
    cause: LossCause
    has_hits: bool = Field(default=False, description="it gave results, and not all that it has")


class Found(Contract):
    """A service's answer, as journaled."""

    hits: list[ServiceHit]
    query: str = Field(default="", description="what it searched for, if it says so")
    lacks: ServiceFailure | None = Field(default=None, description="what its results lack")
    usage: Usage = Field(default=Usage(), description="what the search cost")
