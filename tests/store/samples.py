"""Values to keep."""

from pydantic import JsonValue

from contracts.access.principal import Principal
from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Json
from contracts.definitions import Definition
from contracts.evidence.sources import Source
from contracts.models.call import Scope
from contracts.models.prices import Price
from contracts.models.usage import Usage
from contracts.phases.planning import PlanningPhase
from contracts.phases.recall import SimilarRequest
from contracts.phases.research import ResearchPhase
from contracts.phases.synthesis import SynthesisPhase
from contracts.planning.startup_company import Startup
from contracts.runs.records import Batch, CallResult, CallSpec, Event, EventType, PhaseRecord
from contracts.runs.request import Resolved
from contracts.runs.run_terms import Terms
from contracts.runs.start import Opened, OpenRequest, RunInput
from contracts.runs.statuses import PhaseStatus
from tests.support.sources import page

ME = Principal()
START = "2026-03-01T10:00:00+00:00"

DEFINITION = Definition(
    id="small",
    phases=[PlanningPhase(), ResearchPhase(), SynthesisPhase(title="The report")],
)
TERMS = Terms(model="m", prices={"m": Price(input_usd=1, output_usd=5)}, offline=True, cap_usd=5)


def opened() -> Opened:
    ids = [phase.id for phase in DEFINITION.phases]
    bindings: dict[str, dict[str, list[str]]] = {name: {} for name in ids}
    resolved = Resolved(definition=DEFINITION, bindings=bindings, selected=ids)
    return Opened(resolved=resolved, terms=TERMS)


def started(run_id: str, at: str = START, **given: object) -> OpenRequest:
    run_input = RunInput.model_validate({"query": "Which country first?"} | given)
    return OpenRequest(run_id=run_id, input=run_input, started_at=at)


def event(key: str, type: EventType = "Status", **payload: object) -> Event:
    return Event.model_validate({"key": key, "type": type, "at": START, "payload": payload})


def phase(
    phase_id: str, status: PhaseStatus = "completed", output: Json | None = None
) -> PhaseRecord:
    return PhaseRecord(
        id=phase_id,
        kind=phase_id,
        title=phase_id,
        status=status,
        attempt=1,
        warnings=[],
        error=None,
        started_at=None,
        ended_at=None,
        usage=Usage(),
        output=output,
    )


def batch(run_id: str, version: int, **changes: object) -> Batch:
    whole = {
        "tenant_id": "default",
        "run_id": run_id,
        "version": version,
        "status": "running",
        "snapshot": {"phases": [{"id": p.id} for p in DEFINITION.phases]},
        "usage": Usage(calls=version),
        "phases": [],
        "events": [event(f"w-{version}")],
    }
    return Batch.model_validate(whole | changes)


def source(n: int) -> Source:
    return page(f"http://example.org/{n}", text_key="k", raw_key="k")


def artifact(n: int, key: str = "k", kind: str = "table") -> Artifact:
    given = {"id": f"a{n}", "name": f"No. {n}", "kind": kind, "media_type": "text/csv"}
    return Artifact.model_validate(given | {"blob_key": key, "bytes": 1})


def spec(run_id: str, request: int = 0, usd: float = 0.5, cap: float = 1.0) -> CallSpec:
    """A model call of a run's research."""
    return CallSpec(
        scope=Scope(run_id=run_id, phase_id="research", attempt=1, name="turn-1"),
        kind="model",
        request_hash=f"hash-{request}",
        model="m",
        reserved_usd=usd,
        cap_usd=cap,
    )


def made(usage: Usage, *events: Event, **result: JsonValue) -> CallResult:
    return CallResult(result=result, usage=usage, events=list(events))


def similar(
    run_id: str, tenant: str = "default", startup: Startup | None = None, hours: int = 24
) -> SimilarRequest:
    """Return a search for a report on a run's question."""
    scope = Scope(tenant_id=tenant, run_id=run_id, phase_id="recall", attempt=1, name="similar")
    return SimilarRequest(scope=scope, query="", startup=startup, within_hours=hours)
