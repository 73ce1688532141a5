"""Request to start a run, and what it resolves to: a definition, and seeds of its phases."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, ValidationInfo, field_validator

from contracts.base import Contract, ExternalJson, Json, Name, Question, RunId, Wrong
from contracts.collections import (
    MAX_COLLECTIONS,
    MAX_NAME_CHARS,
    CollectionState,
    CollectionUse,
)
from contracts.company.inputs import name_companies
from contracts.definitions import Definition, PhaseOverride
from contracts.errors import ErrorInfo
from contracts.evidence.sources import MAX_FILES
from contracts.notices import Notice
from contracts.phases.phase_cost import PhaseCost
from contracts.planning.depth import Minutes, Settings
from contracts.planning.plan import Depth, Plan
from contracts.planning.startup_company import Startup
from contracts.report.patches import ReaderRemark
from contracts.report.report import BaseReport
from contracts.runs.lost_inputs import LostInput
from contracts.runs.run_terms import Terms
from contracts.search import SERVICES, Chosen

NO_STARTUP = "none"
SeedOrigin = Literal["parent", "given", "follow_up", "cache"]
"""`parent`, `follow_up`: the run that a start names; `given`: its caller; `cache`: the step cache."""


MAX_NAMED = 1_000
"""Phases or roles that a start may name; the nearest right word is looked for of each wrong one."""


class Seed(Contract):
    """An output that a phase has without running."""

    output: Json
    origin: SeedOrigin
    run_id: str | None = Field(default=None, description="the run that made it; None: `given`")
    notices: list[Notice] = Field(default=[], description="those of the phase that made it")
    lost_inputs: list[LostInput] = Field(default=[], description="those of that phase")
    shown_plan: Plan | None = Field(
        default=None, description="as the other run showed it, where this one prices it anew"
    )


def fold_inputs(inputs: Json) -> Json:
    """Normalize a start's inputs for comparison, ignoring case, whitespace and null values."""
    return {
        name: " ".join(value.split()).casefold() if isinstance(value, str) else value
        for name, value in inputs.items()
        if value is not None
    }


class FindRequest(Contract):
    """A request for the output that an earlier run of a user has under a key."""

    tenant_id: str
    user_id: str
    run_id: str = Field(description="the run that asks; its own outputs are not found")
    cache_key: str


class FindResult(Contract):
    """Result of a cache lookup: the newest output under the key that has not expired, if any."""

    seed: Seed | None = None


class RunRequest(Contract):
    """Request to start a run; the same over HTTP and from the CLI."""

    query: Question
    user_id: Name = "local"
    inputs: ExternalJson = {}
    given: dict[str, ExternalJson] = Field(
        default={}, max_length=MAX_NAMED, description="phase id -> its output"
    )
    startup_id: Name | None = Field(
        default=None,
        description="the startup that this is about, `none`: about none; left out: the human is "
        "asked, should the question be about one",
    )
    save_startup: bool | None = Field(
        default=None,
        description="offer to keep a startup made from the approved plan, unless the run has "
        "one; left out: as the definition says",
    )
    files: list[Name] = Field(
        default=[],
        max_length=MAX_FILES,
        description="ids of the user's own documents, from `POST /v1/files`: each search lists them "
        "first; a run from a run has its parent's as well",
    )
    collections: list[Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)]] = Field(
        default=[],
        max_length=MAX_COLLECTIONS,
        description="names of the user's collections, which each search looks through first; a run "
        "from a run has its parent's as well",
    )
    config_overrides: dict[str, PhaseOverride] = Field(default={}, max_length=MAX_NAMED)
    model_overrides: dict[str, str] = Field(
        default={}, max_length=MAX_NAMED, description="role -> model id"
    )
    search: Chosen = Field(
        default=[],
        max_length=len(SERVICES),
        description="search services to ask, all at once; left out: as definition or installation say",
    )
    only: list[str] | None = Field(
        default=None, max_length=MAX_NAMED, description="phase ids, in the definition's order"
    )
    until: str | None = None
    from_run: RunId | None = None
    redo: list[str] = Field(default=[], max_length=MAX_NAMED)
    follow_up: bool = Field(
        default=False,
        description="keep the sources of `from_run`, and change its report, or answer a question from it,"
        " as the definition does",
    )
    remarks: list[ReaderRemark] = Field(
        default=[],
        max_length=50,
        description="on sentences of the report that a follow-up changes: what is called `wrong` it puts right",
    )
    fresh: bool = Field(
        default=False,
        description="use neither an earlier report on the question nor the step cache",
    )
    probe: bool = Field(
        default=False,
        description="with `redo`: do it only if the plan's searches list something else than in the run before of its schedule,"
        " a document, a company's filings, prices or news, or a page that its report cites has changed; else that report stands",
    )
    temp_workflow: bool = Field(
        default=False,
        description="a temporary run: removed soon after its end, all but its cost",
    )
    batch: bool = Field(
        default=False,
        description="ask models in Message Batches, for half the price: each call may take up to a day; "
        "crews, and models whose server has no batches, are asked at once",
    )
    budget: float | None = Field(default=None, gt=0, allow_inf_nan=False, description="US dollars")
    depth: Depth | None = Field(
        default=None,
        description="how much is searched, read and reviewed; left out: `standard`. Settings in "
        "`config_overrides` win; a run from a run has its plan's",
    )

    @field_validator("inputs")
    @classmethod
    def _name_companies(cls, inputs: Json) -> Json:
        """Return inputs by which a run is found, and found to read the same as another."""
        return name_companies(inputs)

    @field_validator("temp_workflow")
    @classmethod
    def _save_nothing(cls, temporary: bool, given: ValidationInfo) -> bool:
        if temporary and given.data.get("save_startup"):
            raise Wrong("temporary-keeps-nothing")
        return temporary


class Resolved(Contract):
    """A definition resolved for one run: overrides applied, needs bound, phases selected."""

    definition: Definition
    bindings: dict[str, dict[str, list[str]]] = Field(
        description="phase id -> need -> the phases that provide it, in the definition's order"
    )
    selected: list[str] = Field(description="ids of the phases that run")
    seeds: dict[str, Seed] = Field(default={}, description="by phase id")
    base_report: BaseReport | None = Field(default=None, description="of a follow-up")
    depth: Depth = "standard"
    depths: dict[Depth, Settings] = Field(
        default={}, description="settings that follow from the depth; empty: it changes nothing"
    )


class RunOpening(BaseModel):
    """The resolved start of a run, looked up once and kept in its state."""

    resolved: Resolved
    terms: Terms
    costs: dict[str, PhaseCost] = Field(
        default={}, description="by phase id, at these terms; of a phase taken over, at its run's"
    )
    depth_costs: dict[Depth, dict[str, PhaseCost]] = Field(
        default={}, description="the same for each depth, where it changes something"
    )
    measured: dict[Depth, Minutes] = Field(
        default={}, description="how long finished runs of the tenant took, where they are enough"
    )
    refusing: Chosen = Field(
        default=[], description="search services that have refused the tenant's newest searches"
    )
    index: bool = Field(default=False, description="the run writes search attributes")
    address: str = Field(
        default="", description="of Temporal, for the lines that it shows to paste"
    )
    startup: Startup | None = Field(default=None, description="the one that the start names")
    collections: list[CollectionUse] = Field(
        default=[], description="the user's collections, and a folder in the web's place"
    )
    collection_states: list[CollectionState] = Field(
        default=[], description="how far they were read when the run last looked"
    )
    library: list[str] = Field(
        default=[], description="titles of all that is searched in the web's place, if they are few"
    )
    blocked: ErrorInfo | None = Field(
        default=None, description="why a provider refuses what is needed: the run fails at once"
    )
