"""Metadata from which user interfaces build forms: kinds of phases, and research settings."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Annotated, Literal, get_args, get_origin

from fastapi import Query, Response
from pydantic import Field, ValidationError

from api.dependencies import Deps
from api.errors import responses
from api.json_bodies import Router, dump_public_json
from contracts.base import Contract, Json, Page
from contracts.errors import NotFound
from contracts.media_types import SUFFIXES
from contracts.models.prices import Price
from contracts.notices import Notice
from contracts.phases.base import Config, PhaseBase
from contracts.phases.research import ResearchPhase, ResearchSettings
from contracts.problems import Problem
from contracts.runs.samples import Sample
from contracts.search import SearchTerms
from workflows.phase_context.kind import AnyKind
from workflows.phases import PHASES

FIELDS = ("title", "enabled", "timeout_seconds", "max_retries")
"""Fields of every phase in forms; ids and references are shown in the graph instead."""

OutputSchemas = Annotated[
    bool, Query(description="with the schema of what each kind gives: five sixths of the answer")
]

router = Router(prefix="/v1", responses=responses(422))


class NeedView(Contract):
    """A value that a kind of phase needs from an earlier phase."""

    name: str
    required: bool
    many: bool
    at_least: int
    anything: bool = Field(description="any kind of output will do; the nearest is bound")


class KindVariant(Contract):
    """A kind's needs and web access if one field of its config has another value."""

    config: Json
    needs: list[NeedView]
    web: bool


class KindView(Contract):
    """A kind of phase in the registry."""

    kind: str
    title: str
    description: str
    category: str
    icon: str
    default_config: Json
    config_schema: Json
    phase_schema: Json = Field(description="JSON Schema of what a phase has beside its config")
    output_schema: Json | None = Field(description="null: it was not asked for")
    needs: list[NeedView] = Field(description="with the default config")
    variants: list[KindVariant] = Field(
        description="values of single fields of the config with which it needs other things, or "
        "reaches the web where it does not otherwise, or the reverse"
    )
    provides: list[str]
    reads: list[str] = Field(description="inputs of a run that it reads")
    required_agents: list[str]
    web: bool
    waits: bool


class MetadataView(Contract):
    """Metadata for user interfaces."""

    research_collection: str
    model: str = Field(description="whose prices count, unless a phase or start names another")
    roles: dict[str, str] = Field(description="role -> model, where it is another one")
    searched: Notice | None = Field(
        description="what is searched in place of the web; null: the web"
    )
    prices: dict[str, Price] = Field(description="of each model that may be called")
    search: SearchTerms = Field(
        description="search services, and the expected price of a search by each that is configured"
    )
    tool_servers: list[str] = Field(description="the installation's servers of tools (MCP)")
    cap_usd: float = Field(description="most that a run spends")
    offline: bool = Field(description="no provider is called and nothing is billed")
    samples: list[Sample] = Field(description="questions whose recorded answers are replayed here")
    file_suffixes: list[str] = Field(description="how the names end of files that can be read")
    temporal_ui: str = Field(description="Temporal's UI with its namespace; empty: not known")
    research_settings_schema: Json = Field(
        description="JSON Schema of the settings; `timeout_seconds` goes to a start's "
        "`config_overrides.<phase id>`, all else to `config_overrides.<phase id>.config`"
    )


@router.get("/phases", tags=["phases"], responses=responses(404), response_model=Page[KindView])
async def list_phases(deps: Deps, output_schemas: OutputSchemas = True) -> Response:
    """List the kinds of phase."""
    rendered = _render_kinds(deps.installation.phase_seconds, output_schemas)
    return Response(rendered, media_type="application/json")


@router.get("/phases/{kind}", tags=["phases"], responses=responses(404))
async def get_phase(kind: str, deps: Deps) -> KindView:
    """Return one kind of phase."""
    return _describe_kind(kind, deps.installation.phase_seconds)


@router.get("/phases/{kind}/config-schema", tags=["phases"], responses=responses(404))
async def get_config_schema(kind: str, deps: Deps) -> Json:
    """Return the JSON Schema of a kind's config."""
    return _describe_kind(kind, deps.installation.phase_seconds).config_schema


@router.get("/metadata", tags=["metadata"])
async def get_metadata(deps: Deps) -> MetadataView:
    """Return the name of the collection of runs and the schema of the research settings."""
    return MetadataView(
        research_collection=deps.installation.research_collection,
        **deps.terms.model_dump(
            include={"model", "roles", "searched", "prices", "search", "cap_usd", "offline"}
        ),
        samples=list(deps.resolver.samples),
        file_suffixes=list(SUFFIXES),
        temporal_ui=deps.installation.temporal_ui,
        tool_servers=deps.installation.tool_servers,
        research_settings_schema=_build_settings_schema(deps.installation.research_settings),
    )


@cache
def _render_kinds(phase_seconds: float, has_output_schemas: bool) -> str:
    """Return the list of kinds as JSON: half a megabyte, of which the page, which asks when it is opened, takes a sixth."""
    kinds = [_describe_kind(name, phase_seconds) for name in PHASES]
    if not has_output_schemas:
        kinds = [kind.model_copy(update={"output_schema": None}) for kind in kinds]
    return dump_public_json(Page(items=kinds))


@cache
def _describe_kind(name: str, phase_seconds: float) -> KindView:
    if name not in PHASES:
        raise NotFound(Problem.at("kind", "kind-unknown", name=name, known=list(PHASES)))
    kind = PHASES[name]
    phase = kind.phase()
    config: Config = phase.config
    return KindView(
        kind=name,
        title=kind.title,
        description=kind.description,
        category=kind.category,
        icon=kind.icon,
        default_config=config.model_dump(mode="json"),
        config_schema=type(config).model_json_schema(),
        phase_schema=_build_phase_schema(kind, phase_seconds),
        output_schema=kind.output.model_json_schema(),
        needs=_view_needs(kind, phase),
        variants=list(_list_variants(kind, phase)),
        provides=list(kind.provides),
        reads=list(reads.model_fields) if (reads := kind.inputs(phase)) else [],
        required_agents=list(kind.agents(phase)),
        web=kind.web(phase),
        waits=kind.waits,
    )


def _build_phase_schema(kind: AnyKind, phase_seconds: float) -> Json:
    fields = kind.phase.model_json_schema()["properties"]
    if kind.phase.has_usual_time():
        fields["timeout_seconds"]["default"] = phase_seconds
    return {"type": "object", "properties": {name: fields[name] for name in FIELDS}}


def _view_needs(kind: AnyKind, phase: PhaseBase) -> list[NeedView]:
    return [NeedView.model_validate(need, from_attributes=True) for need in kind.needs(phase)]


def _list_variants(kind: AnyKind, phase: PhaseBase) -> Iterator[KindVariant]:
    """Yield the single choices of a kind's config that change what it needs or whether it reaches the web."""
    config: Config = phase.config  # type: ignore[attr-defined] # every kind has one
    usual = kind.needs(phase), kind.web(phase)
    for name, field in type(config).model_fields.items():
        choices = (True, False) if field.annotation is bool else get_args(field.annotation)
        is_choice = field.annotation is bool or get_origin(field.annotation) is Literal
        for value in choices if is_choice else ():
            with suppress(ValidationError):  # a value that another field must go with
                other = kind.phase.model_validate({"kind": kind.name, "config": {name: value}})
                if (kind.needs(other), kind.web(other)) != usual:
                    yield KindVariant(
                        config={name: value}, needs=_view_needs(kind, other), web=kind.web(other)
                    )


def _build_settings_schema(settings: ResearchSettings) -> Json:
    """Return the schema of the settings of research, as one flat object with this installation's defaults."""
    config = ResearchSettings.model_json_schema()["properties"]
    numbers = {name: about | {"default": getattr(settings, name)} for name, about in config.items()}
    timeout = ResearchPhase.model_json_schema()["properties"]["timeout_seconds"]
    return {
        "title": "Research settings",
        "type": "object",
        "additionalProperties": False,
        "properties": {**numbers, "timeout_seconds": timeout},
    }
