"""Errors by name: `type` is the class name in kebab case, in Temporal failures and HTTP problems."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field, ValidationError

from contracts.base import Contract, describe_error
from contracts.batch import OpenBatch
from contracts.lost_inputs import LossCause, LostInput
from contracts.notices import Notice
from contracts.read_failures import ReadFailure

CostLimit = Literal["time", "memory", "input", "died"]


class Problem(Contract):
    """An invalid field of a request."""

    path: str = Field(description="JSON path, e.g. `phases[2].config.wait_seconds`")
    message: str
    failure: ReadFailure | None = Field(
        default=None,
        exclude_if=lambda failure: failure is None,
        description="of a document that cannot be read: why",
    )


def list_field_problems(path: str, error: ValidationError) -> list[Problem]:
    """Return a validation error's problems, each with its place below `path`."""
    return [
        Problem(path=".".join([path, *map(str, e["loc"])]), message=describe_error(e))
        for e in error.errors()
    ]


MAX_PROBLEMS = 50
MAX_CHARS = 500
MAX_MESSAGE_CHARS = 1_000


def limit_problems(problems: Sequence[Problem], unlisted: int = 0) -> list[Problem]:
    """Return the first 50 problems, each up to 500 characters long, and a count of all others."""
    rest = len(problems) + unlisted - MAX_PROBLEMS
    limited = [
        problem.model_copy(
            update={"path": problem.path[:MAX_CHARS], "message": problem.message[:MAX_CHARS]}
        )
        for problem in problems[:MAX_PROBLEMS]
    ]
    return [*limited, Problem(path="", message=f"{rest} more problems")] if rest > 0 else limited


def join_problems(problems: Sequence[Problem]) -> str:
    """Return problems as one line of text."""
    return "; ".join(f"{p.path}: {p.message}" if p.path else p.message for p in problems)


class ErrorInfo(Contract):
    """A failure as shown to people."""

    type: str
    message: str
    notice: Notice | None = Field(
        default=None,
        exclude_if=lambda notice: notice is None,
        description="the message as a code with parameters; null: it is somebody else's",
    )

    @classmethod
    def of(cls, error: "GreenlightError") -> "ErrorInfo":
        """Return an error as people read it."""
        return cls(type=error.type(), message=str(error)[:MAX_MESSAGE_CHARS], notice=error.notice)

    @property
    def words(self) -> Notice:
        """Return the message as a notice."""
        return self.notice or Notice.of("text", text=self.message)


class GreenlightError(Exception):
    """Base class of all errors; what it says is a notice, or a text of somebody else."""

    notice: Notice | None = None
    retry_after: float | None = None
    status: int | None = None
    """HTTP status of the answer that is the failure; None: there was no answer."""
    passing = False
    """True of an outage: the same request may succeed later."""

    def __init__(self, told: str | Notice = "") -> None:
        if isinstance(told, Notice):
            self.notice = told
        super().__init__(told.text if isinstance(told, Notice) else told)

    @property
    def loss_cause(self) -> LossCause:
        """Return the failure as the data that a lost input is explained by."""
        return LossCause(reason=self.type(), status=self.status, passing=self.passing)

    @classmethod
    def type(cls) -> str:
        """Return the name under which this error travels, e.g. `stale-plan`."""
        return "".join(f"-{c.lower()}" if c.isupper() else c for c in cls.__name__).lstrip("-")


class Permanent(GreenlightError):
    """A retry cannot help; Temporal makes none."""


class InvalidInput(Permanent):
    """A message or a start is malformed; `found` are all problems, `problems` up to 50."""

    def __init__(self, told: str | Sequence[Problem], unlisted: int = 0) -> None:
        if isinstance(told, str):  # a message names the field before its colon
            path, _, message = told.partition(": ")
            names_field = message and " " not in path
            self.found = [Problem(path=path, message=message)] if names_field else []
        else:
            self.found = list(told)
        self.problems = limit_problems(self.found, unlisted)
        super().__init__(told if isinstance(told, str) else join_problems(self.problems))


class InvalidDefinition(InvalidInput):
    """A definition is invalid."""


class Conflict(Permanent):
    """The run's state does not allow a well-formed request."""


class StalePlan(Conflict):
    """A decision names a plan that has been replaced."""


class PreconditionFailed(Permanent):
    """The change is based on a version that is not the newest."""


class NotFound(Permanent):
    """The resource does not exist or belongs to another user."""


class NotOwner(Permanent):
    """Only the owner may change what the caller may read."""


class NotAllowed(Permanent):
    """The caller is not among the approvers, or acts in another user's name."""


class ApprovalRequired(Permanent):
    """A phase would reach the web while no decision names the current plan."""


class BudgetExceeded(Permanent):
    """The call was not made, because it would exceed the run's cap (`claim_call` in 0002_call_journal.sql)."""


class ModelRejected(Permanent):
    """The provider rejects the request: status 400, 404 and the like, or a spend limit.

    `may_be_form` tells that it may take the same request in another form, `is_too_long` that it is
    longer than the model's context window.
    """

    def __init__(
        self, message: str, *, may_be_form: bool = False, is_too_long: bool = False
    ) -> None:
        super().__init__(message)
        self.may_be_form = may_be_form
        self.is_too_long = is_too_long


class KeyRejected(ModelRejected):
    """The provider rejects the key: status 401 or 403. Whatever else the run asks of it fails, too."""


class ModelRefused(Permanent):
    """The model declined to answer."""


class ModelTruncated(Permanent):
    """The answer was cut off at `max_tokens`."""


class OutputInvalid(Permanent):
    """The answer does not match its schema, even after one repair turn."""


class RequestRefused(Permanent):
    """A service refuses a request; one that says to come back much later is `passing`."""

    def __init__(self, message: str, status: int | None = None, *, passing: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.passing = passing


class FetchRefused(RequestRefused):
    """The page must not or cannot be read, by its address, content type, size or status."""


class SearchRefused(RequestRefused):
    """The search service rejects the query or the key."""


class FactsRefused(RequestRefused):
    """EDGAR rejects requests without a contact address."""


class TickerRefused(Permanent):
    """EDGAR has nothing for the input `ticker`; `problem` says why, without the input's name."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"`ticker`: {problem}")
        self.problem = problem


class UnknownTicker(TickerRefused):
    """No company is listed under the ticker."""


class NoFacts(TickerRefused):
    """EDGAR has no figures of the company, or none filed by the day asked for."""


class NoDocument(Permanent):
    """A filing has no document where EDGAR lists one."""


class TooCostly(Permanent):
    """Work on foreign input exceeds its limit of time, memory or size, or ends its process."""

    def __init__(
        self, message: str, *, limit: CostLimit = "died", params: dict[str, float] | None = None
    ) -> None:
        super().__init__(message)
        self.limit: CostLimit = limit
        self.params = params or {}


class ToolFailed(Permanent):
    """A tool call failed, and its journaled failure is the agent's result, also on a retry."""

    def __init__(self, message: str, cause: LossCause | None = None) -> None:
        super().__init__(message)
        self._cause = cause

    @property
    def loss_cause(self) -> LossCause:
        """Return the cause that the journal keeps with the failure."""
        return self._cause or super().loss_cause


class NothingFound(Permanent):
    """A phase has nothing to work on."""


class InputLost(Permanent):
    """All of what a phase was to read is lost."""

    def __init__(self, told: str | Notice, lost: LostInput) -> None:
        super().__init__(told)
        self.lost = lost
        self.passing = lost.may_pass


class StepFailed(Permanent):
    """All attempts at a plan step were rejected."""


class ValidationFailed(Permanent):
    """The report does not meet its validation's requirements, which then stops the run."""


class WorkerLost(Permanent):
    """Every worker that was at the call died or stood still before it got any further."""

    passing = True


class CallTimedOut(Permanent):
    """The call took longer than its activity may."""

    passing = True


class OutOfTime(Permanent):
    """Optional work was left out or cut short, since its phase's time was nearly used up."""

    passing = True


class Transient(GreenlightError):
    """Retried by Temporal, after `retry_after` seconds where that is set."""

    passing = True

    def __init__(
        self, told: str | Notice, retry_after: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(told)
        self.retry_after = retry_after
        self.status = status


class ModelBusy(Transient):
    """The provider is overloaded or limits the rate: status 429, 529 or 5xx."""


class ModelUnreachable(Transient):
    """The connection to the provider failed or timed out."""


class BatchPending(Transient):
    """A batch has no answer yet; it is looked at again after `retry_after`, which uses up no attempt."""

    def __init__(self, batch: OpenBatch, retry_after: float) -> None:
        super().__init__(f"the batch {batch.id} has no answer yet", retry_after)
        self.batch = batch


class SearchFailed(Transient):
    """The search service did not answer."""


class FetchFailed(Transient):
    """The page could not be fetched this time."""


class FactsFailed(Transient):
    """EDGAR did not answer, or not with JSON."""


class PriceFailed(Transient):
    """The source of share prices gave none; the run continues without.

    It is an outage only where it did not answer: a service that knows no price of a company has none later.
    """

    def __init__(self, why: Notice, status: int | None = None, *, passing: bool = False) -> None:
        super().__init__(why, status=status)
        self.passing = passing


class EmbeddingFailed(Transient):
    """The embedder returned no vector; the run continues without."""


class StoreUnavailable(Transient):
    """PostgreSQL or the blob store is unreachable; a retry uses up no attempt."""


class EngineUnavailable(Transient):
    """Temporal is unreachable."""


class WorkerStopping(Transient):
    """The worker is stopping and starts no new call; another one continues, at no cost of an attempt."""
