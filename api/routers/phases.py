"""Registry of phase kinds."""

from functools import cache

from fastapi import APIRouter

from api.errors import responses
from api.responses import KindView, NeedView, Page
from contracts.base import Json
from contracts.errors import NotFound
from contracts.phases.base import Config
from workflows.phases import PHASES

router = APIRouter(prefix="/v1/phases", tags=["phases"], responses=responses(404, 422))


@router.get("")
async def list_phases() -> Page[KindView]:
    """List the kinds of phase."""
    return Page(items=[_describe_kind(name) for name in PHASES])


@router.get("/{kind}")
async def get_phase(kind: str) -> KindView:
    """Return one kind of phase."""
    return _describe_kind(kind)


@router.get("/{kind}/config-schema")
async def get_config_schema(kind: str) -> Json:
    """Return the JSON Schema of a kind's config."""
    return _describe_kind(kind).config_schema


@cache
def _describe_kind(name: str) -> KindView:
    if name not in PHASES:
        raise NotFound(f"kind: {name!r} does not exist; allowed are {', '.join(PHASES)}")
    kind = PHASES[name]
    phase = kind.phase()
    config: Config = phase.config  # type: ignore[attr-defined] # every kind has one
    return KindView(
        kind=name,
        title=kind.title,
        description=kind.description,
        category=kind.category,
        icon=kind.icon,
        default_config=config.model_dump(mode="json"),
        config_schema=type(config).model_json_schema(),
        output_schema=kind.output.model_json_schema(),
        needs=[
            NeedView(**{name: getattr(need, name) for name in NeedView.model_fields})
            for need in kind.needs(phase)
        ],
        provides=list(kind.provides),
        reads=list(reads.model_fields) if (reads := kind.inputs(phase)) else [],
        required_agents=list(kind.agents(phase)),
        web=kind.web(phase),
        waits=kind.waits,
    )
