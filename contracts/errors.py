"""Every way a run, a phase or a request can go wrong, by name.

GreenlightError                      `type` travels through Temporal and HTTP
├── Permanent                        never retried
│   ├── InvalidDefinition            problems, each with its path            422
│   ├── InvalidInput                 a start or a message out of form        422
│   ├── Conflict                     right form, wrong moment                409
│   │   └── StalePlan                the approval names another plan         409
│   ├── PreconditionFailed           made from a version that is not newest  412
│   ├── NotFound                     unknown, or another's                   404
│   ├── NotOwner                     to be read, and another's to change     403
│   ├── NotAllowed                   not for this user to say                403
│   ├── ApprovalRequired             a web phase reached without approval
│   ├── BudgetExceeded               the call would pass the run's cap
│   ├── ModelRejected                401, 403, 404, 400, a spend limit
│   ├── ModelRefused                 the model declined to answer
│   ├── ModelTruncated               the answer hit max_tokens
│   ├── OutputInvalid                not the schema, even after one repair
│   ├── SearchRefused                the search service will not take our key or query
│   ├── FetchRefused                 a forbidden address, type or size
│   ├── FactsRefused                 EDGAR will not serve us: it asks for a contact
│   ├── UnknownTicker                no company is listed under it
│   ├── NoFacts                      a company of which EDGAR has no figures
│   ├── ToolFailed                   an agent's tool call, journaled as failed
│   ├── NothingFound                 nothing to work on
│   └── StepFailed                   a plan step whose attempts are used up
└── Transient                        Temporal retries it
├── ModelBusy                    429, 529, 5xx (retry_after seconds)
├── ModelUnreachable             no or a broken connection, no answer in time
├── SearchFailed, FetchFailed    the web's own trouble
├── FactsFailed                  EDGAR's (retry_after seconds)
├── EmbeddingFailed              no vector for a question: the run goes on without
├── StoreUnavailable             PostgreSQL or the blob store is away: never uses up attempts
├── EngineUnavailable            Temporal is away                        503
└── WorkerStopping               a worker that stops begins nothing new
"""

from pydantic import Field

from contracts.base import Contract


class Problem(Contract):
    """One thing wrong with what was sent, and where."""

    path: str = Field(description="JSON path, e.g. `phases[2].config.wait_seconds`")
    message: str


class ErrorInfo(Contract):
    """A failure as people read it."""

    type: str
    message: str


class GreenlightError(Exception):
    """Base of every error of ours; its wire `type` is the class name in kebab case."""

    retry_after: float | None = None

    @classmethod
    def type(cls) -> str:
        """The name under which this error travels, e.g. `stale-plan`."""
        return "".join(f"-{c.lower()}" if c.isupper() else c for c in cls.__name__).lstrip("-")


class Permanent(GreenlightError):
    """Trying again cannot help."""


class InvalidDefinition(Permanent):
    """A definition or a start that does not hold together; carries all problems at once."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(f"{p.path}: {p.message}" for p in problems))
        self.problems = problems


class InvalidInput(Permanent):
    """A message or a start whose form is wrong."""


class Conflict(Permanent):
    """A well-formed request that the run's state does not allow."""


class StalePlan(Conflict):
    """The decision names a plan that is not the one shown now."""


class PreconditionFailed(Permanent):
    """Somebody else's change came first: this one was made from an older version."""


class NotFound(Permanent):
    """No such thing, or it belongs to someone else."""


class NotOwner(Permanent):
    """The caller may read it; only its owner may change it."""


class NotAllowed(Permanent):
    """Others are asked, or it was said in another's name."""


class ApprovalRequired(Permanent):
    """A web-reaching phase was reached while no decision names the current plan."""


class BudgetExceeded(Permanent):
    """The call was not made: it would pass the run's cap."""


class ModelRejected(Permanent):
    """The provider will not take this request from us, now or later."""


class ModelRefused(Permanent):
    """The model declined to answer."""


class ModelTruncated(Permanent):
    """The answer was cut at `max_tokens`."""


class OutputInvalid(Permanent):
    """The answer does not match its schema, even after one repair turn."""


class FetchRefused(Permanent):
    """The page may not or cannot be read: address, type, size or status."""


class SearchRefused(Permanent):
    """The search service will not take this query or this key, now or later."""


class FactsRefused(Permanent):
    """EDGAR will not serve us, now or later: it wants to know whom to write to."""


class UnknownTicker(Permanent):
    """No company is listed under this ticker, or none any more."""


class NoFacts(Permanent):
    """EDGAR has no figures of this company, or none that were filed by the day asked for."""


class ToolFailed(Permanent):
    """A tool call gave nothing, and the agent is told so whenever it is replayed."""


class NothingFound(Permanent):
    """There is nothing to work on."""


class StepFailed(Permanent):
    """No attempt at a plan step was enough."""


class Transient(GreenlightError):
    """Trying again may help; `retry_after` (seconds) is honoured when set."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelBusy(Transient):
    """The provider asks us to come back later."""


class ModelUnreachable(Transient):
    """No connection, a broken one, or no answer in time."""


class SearchFailed(Transient):
    """The search service did not answer."""


class FetchFailed(Transient):
    """The page could not be fetched this time."""


class FactsFailed(Transient):
    """EDGAR did not answer, or with something else than its JSON."""


class EmbeddingFailed(Transient):
    """The embedder gave no vector."""


class StoreUnavailable(Transient):
    """PostgreSQL or the blob store is away."""


class BatchRejected(Transient):
    """PostgreSQL answers and does not take what a run wrote."""


class EngineUnavailable(Transient):
    """Temporal is away."""


class WorkerStopping(Transient):
    """The worker was told to stop and begins nothing new; another one goes on."""
