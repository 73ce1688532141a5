"""Errors by name: `type` is the class name in kebab case, in Temporal failures and HTTP problems."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from contracts.access.budgets import MetBudget
from contracts.base import Contract, Json
from contracts.models.batch import OpenBatch
from contracts.notices import Notice
from contracts.problems import Problem, join_problems, limit_problems
from contracts.runs.lost_inputs import LossCause, LostInput

CostLimit = Literal["time", "memory", "input", "died"]
MAX_MESSAGE_CHARS = 1_000


class ErrorInfo(Contract):
    """A failure as shown to people."""

    type: str
    message: str
    notice: Notice | None = Field(
        default=None,
        exclude_if=lambda notice: notice is None,
        description="the message as a code with parameters; null: it is somebody else's",
    )
    problems: list[Problem] = Field(
        default=[],
        exclude_if=lambda problems: not problems,
        description="each invalid field and what is allowed",
    )
    budget: MetBudget | None = Field(
        default=None,
        exclude_if=lambda budget: budget is None,
        description="of a call that a budget left no room for",
    )

    @classmethod
    def of(cls, error: "GreenlightError") -> "ErrorInfo":
        """Return an error as people read it."""
        return cls(
            type=error.type(),
            message=str(error)[:MAX_MESSAGE_CHARS],
            notice=error.words,
            problems=error.problems,
            budget=error.budget,
        )

    @property
    def words(self) -> Notice:
        """Return the message as a notice."""
        return self.notice or Notice.of("text", text=self.message)


class GreenlightError(Exception):
    """Base class of all errors; its message is a notice, or the problems of fields."""

    retry_after: float | None = None
    status: int | None = None
    """HTTP status of the failed response; None without a response."""
    passing = False
    """True for outages: the same request may succeed later."""
    budget: MetBudget | None = None
    """The budget that did not suffice for a call."""

    def __init__(self, told: Notice | Sequence[Problem], unlisted: int = 0) -> None:
        if isinstance(told, Notice):
            self.found = [told] if isinstance(told, Problem) else []
        else:
            self.found = [*told]
        self.problems = limit_problems(self.found, unlisted)
        """Up to 50 of all problems of fields, which are `found`."""
        self.words = join_problems(self.problems) if self.found else Notice.model_validate(told)
        """All that it says, each problem with its path."""
        super().__init__(self.words.text)

    @property
    def notice(self) -> Notice:
        """Return what it says without paths; of several problems, how many there are."""
        if len(self.found) > 1:
            return Notice.of("invalid-fields", "error", n=len(self.found))
        return self.found[0].notice if self.found else self.words

    @property
    def details(self) -> list[Json]:
        """Return what travels with the failure of an activity or an update: its cause, and what it says."""
        return [part.model_dump(mode="json") for part in (self.loss_cause, ErrorInfo.of(self))]

    @property
    def loss_cause(self) -> LossCause:
        """Return the failure as the data that a lost input is explained by."""
        return LossCause(reason=self.type(), status=self.status, passing=self.passing)

    @classmethod
    def type(cls) -> str:
        """Return the name under which this error travels, e.g. `stale-plan`."""
        return "".join(f"-{c.lower()}" if c.isupper() else c for c in cls.__name__).lstrip("-")


class Permanent(GreenlightError):
    """A retry cannot help, so Temporal makes none."""


class InvalidInput(Permanent):
    """A message or a start is malformed; each problem has its path."""


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
    """The call was not made, because it would exceed the run's cap or a budget (`store/postgres/functions/claim_call.sql`)."""

    def __init__(
        self, told: Notice, left_usd: float = 0.0, budget: MetBudget | None = None
    ) -> None:
        super().__init__(told)
        self.left_usd = left_usd
        """The remainder of the cap or budget for this call."""
        self.budget = budget


class ModelRejected(Permanent):
    """The provider rejects the request: status 400, 404 and the like, or a spending limit.

    `may_be_form` means that the request may be accepted in another form, `is_too_long` that it exceeds the
    model's context window.
    """

    def __init__(
        self, told: Notice, *, may_be_form: bool = False, is_too_long: bool = False
    ) -> None:
        super().__init__(told)
        self.may_be_form = may_be_form
        self.is_too_long = is_too_long

    @property
    def loss_cause(self) -> LossCause:
        """Return the failure as data, with a separate reason for a request that is too long."""
        cause = super().loss_cause
        return (
            cause.model_copy(update={"reason": "request-too-long"}) if self.is_too_long else cause
        )


class KeyRejected(ModelRejected):
    """The provider rejects the key (status 401 or 403), so every other call of the run to it fails too."""


class ModelRefused(Permanent):
    """The model declined to answer."""


class ModelTruncated(Permanent):
    """The answer was cut off at `max_tokens`."""


class OutputInvalid(Permanent):
    """The answer does not match its schema, even after one repair turn."""


class RequestRefused(Permanent):
    """A service refuses a request; one that says to come back much later is `passing`."""

    def __init__(self, told: Notice, status: int | None = None, *, passing: bool = False) -> None:
        super().__init__(told)
        self.status = status
        self.passing = passing


class FetchRefused(RequestRefused):
    """The page must not or cannot be read, by its address, content type, size or status."""


class NoPageLeft(FetchRefused):
    """The agent may read no further page, unless a concurrent agent has read it."""


class SearchRefused(RequestRefused):
    """The search service rejects the query or the key."""


class ToolServerRefused(RequestRefused):
    """A tool server refuses a call, gives an unusable answer, or is not the approved one."""


class FactsRefused(RequestRefused):
    """EDGAR rejects requests without a contact address."""


class TickerRefused(Permanent):
    """EDGAR has no data for the input `ticker`."""

    def __init__(self, told: Notice) -> None:
        super().__init__(Problem.told("ticker", told))


class UnknownTicker(TickerRefused):
    """No company is listed under the ticker."""


class NoFacts(TickerRefused):
    """EDGAR has no figures of the company, or none filed by the requested day."""


class NoDocument(Permanent):
    """A filing has no document where EDGAR lists one."""


class TooCostly(Permanent):
    """Work on foreign input exceeds its limit of time, memory or size, or ends its process."""

    def __init__(self, limit: CostLimit, most: float | None = None) -> None:
        self.limit: CostLimit = limit
        self.params = {} if most is None else {"most": most}
        super().__init__(Notice.of(f"costly-{limit}", **self.params))


class ToolFailed(Permanent):
    """A tool call failed, and its journaled failure is the agent's result, also on a retry."""

    def __init__(self, told: Notice | Sequence[Problem], cause: LossCause | None = None) -> None:
        super().__init__(told)
        self._cause = cause

    @property
    def loss_cause(self) -> LossCause:
        """Return the cause that the journal keeps with the failure."""
        return self._cause or super().loss_cause


class NothingFound(Permanent):
    """A phase has nothing to work on."""


class InputLost(Permanent):
    """Everything that a phase should read is lost."""

    def __init__(self, told: Notice, lost: LostInput) -> None:
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
        self, told: Notice, retry_after: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(told)
        self.retry_after = retry_after
        self.status = status


class ModelBusy(Transient):
    """The provider is overloaded or limits the rate: status 429, 529 or 5xx."""


class ModelUnreachable(Transient):
    """The connection to the provider failed or timed out."""


class BatchPending(Transient):
    """A batch has no answer yet; checking again after `retry_after` uses up no attempt."""

    def __init__(self, batch: OpenBatch, retry_after: float) -> None:
        super().__init__(Notice.of("batch-pending", batch=batch.id), retry_after)
        self.batch = batch


class SearchFailed(Transient):
    """The search service did not answer."""


class ToolServerFailed(Transient):
    """A server of tools did not answer this time."""


class FetchFailed(Transient):
    """The page could not be fetched this time."""


class FactsFailed(Transient):
    """EDGAR did not answer, or not with JSON."""


class PriceFailed(Transient):
    """The price source returned no price; the run continues without.

    This is an outage only if the source did not answer: a company without a known price will have none later.
    """

    def __init__(self, told: Notice, status: int | None = None, *, passing: bool = False) -> None:
        super().__init__(told, status=status)
        self.passing = passing


class EmbeddingFailed(Transient):
    """The embedder returned no vector; the run continues without."""


class PackagesMissing(Transient):
    """CrewAI, which is installed when first used, could not be installed."""


class StoreUnavailable(Transient):
    """PostgreSQL or the blob store is unreachable; a retry uses up no attempt."""


class EngineUnavailable(Transient):
    """Temporal is unreachable."""


class WorkerStopping(Transient):
    """The worker is stopping and starts no new call; another worker continues without using up an attempt."""
