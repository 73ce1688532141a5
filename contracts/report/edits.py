"""The request that puts an edited sentence into a finished report."""

from pydantic import Field

from contracts.base import Contract, RunId
from contracts.evidence.claims import Claim
from contracts.models.call import Scope


class EditRequest(Contract):
    """A sentence of a run's report, and what takes its place; `scope` is of the run that edits it."""

    scope: Scope
    user_id: str = Field(description="who edits it: the owner of both runs")
    run_id: RunId = Field(description="the run whose report it is in")
    before: Claim
    after: Claim


class EditedReport(Contract):
    """The result of an edit."""

    phases: list[str] = Field(description="whose reports had the sentence")
