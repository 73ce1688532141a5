"""Exceptions by which a phase ends its run early, or sends an earlier phase back."""

from pydantic import BaseModel

from contracts.base import Json
from contracts.errors import GreenlightError
from contracts.phases.recall import FinishedReport
from workflows.runtime.failures import describe_failure


class RevisionRequested(Exception):
    """A human asks for another version of earlier phases' output."""

    def __init__(self, phase_ids: list[str], feedback: str) -> None:
        super().__init__(*phase_ids)
        self.phase_ids = phase_ids
        self.feedback = feedback


class RunStopped(Exception):
    """A phase fails, with an output for people to read, and no later phase may run."""

    def __init__(self, error: GreenlightError, output: BaseModel) -> None:
        super().__init__(str(error))
        self.error = describe_failure(error)
        self.output: Json = output.model_dump(mode="json")


class Rejected(Exception):
    """A human rejected the checkpoint, or its deadline passed."""


class RunShortCircuited(Exception):
    """A phase already has the run's answer; carries its output, with the report in it."""

    def __init__(self, output: BaseModel, finished: FinishedReport) -> None:
        super().__init__("short-circuited")
        answer = finished.model_dump(mode="json", include={"report", "sources", "artifacts"})
        self.output: Json = output.model_dump(mode="json") | answer
