"""Probes of scheduled runs: whether anything is new since the run before, asked before a model is."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.blobs import BlobKey

PROBE_SEARCH = "probe-search"
"""Start of the names of a probe's searches, by which the next run's probe finds what they listed."""


Comparable = Literal["searches", "documents", "gathered"]
"""What a probe compares beside the cited pages."""


class PreviousRequest(Contract):
    """A request for the run before a scheduled one, if its outputs may be reused by the new one."""

    tenant_id: str
    run_id: str
    from_run: str
    phases: list[str] = Field(description="those to be done again: each must have completed there")
    plan_hash: str = Field(description="empty: the definition makes no plan")
    basis: str = Field(description="digest of what the run was started with")
    gathered: dict[str, str] = Field(
        default={}, description="digests of what code has gathered anew, by phase"
    )


class ProbedPage(Contract):
    """A page cited by a report, with its hash and stored text from that time."""

    url: str
    content_hash: str
    text_key: BlobKey


class PreviousRun(Contract):
    """The previous run, with the pages that its report cites; `run_id` is empty if no run's outputs may be reused."""

    run_id: str = ""
    day: str = Field(default="", description="the day on which it started, ISO 8601")
    cited: list[ProbedPage] = []


class SearchesRequest(Contract):
    """A request to compare the searches of two runs' probes."""

    tenant_id: str
    run_id: str
    previous_run_id: str


class SearchesResult(Contract):
    """Whether both runs' probes found the same, to the letter."""

    are_same: bool


class PhaseRequest(Contract):
    """A request for the output of a phase of the run before."""

    tenant_id: str
    run_id: str = Field(description="the run before")
    phase_id: str


class ProbeVerdict(Contract):
    """The result of a scheduled run's probe, determined once per run."""

    verdict: Literal["unchanged", "changed"]
    run_id: str = Field(default="", description="whose outputs stand, if unchanged")
    since: str = Field(default="", description="the day of that run")
    at: str
    pages: list[str] = Field(default=[], description="URLs that were read again and are the same")
    same: list[Comparable] = Field(default=[], description="what else was compared, if unchanged")
