"""What an interface needs to know before anybody asks."""

from functools import cache

from fastapi import APIRouter

from api.dependencies import Deps
from api.errors import responses
from api.responses import MetadataView
from contracts.base import Json
from contracts.phases.research import ResearchConfig, ResearchPhase

router = APIRouter(prefix="/v1/metadata", tags=["metadata"], responses=responses(422))


@router.get("")
async def get_metadata(deps: Deps) -> MetadataView:
    """Return the name of the collection of runs, and the form of a research's settings."""
    return MetadataView(
        research_collection=deps.research_collection, research_settings_schema=_settings()
    )


@cache
def _settings() -> Json:
    """Return the numbers that a research phase lets its user set, as one flat object."""
    config = ResearchConfig.model_json_schema()["properties"]
    numbers = {name: about for name, about in config.items() if about["type"] == "integer"}
    timeout = ResearchPhase.model_json_schema()["properties"]["timeout_seconds"]
    return {
        "title": "Research settings",
        "type": "object",
        "additionalProperties": False,
        "properties": {**numbers, "timeout_seconds": timeout},
    }
