"""Metadata for user interfaces."""

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
    """Return the name of the collection of runs and the schema of the research settings."""
    return MetadataView(
        research_collection=deps.research_collection,
        research_settings_schema=_build_settings_schema(),
    )


@cache
def _build_settings_schema() -> Json:
    """Return the schema of the research phase's numeric settings, as one flat object."""
    config = ResearchConfig.model_json_schema()["properties"]
    numbers = {name: about for name, about in config.items() if about["type"] == "integer"}
    timeout = ResearchPhase.model_json_schema()["properties"]["timeout_seconds"]
    return {
        "title": "Research settings",
        "type": "object",
        "additionalProperties": False,
        "properties": {**numbers, "timeout_seconds": timeout},
    }
