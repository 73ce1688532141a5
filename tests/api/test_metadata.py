"""What an interface learns before anybody asks: the collection, and a form that starts agree with."""

from typing import Any

import jsonschema
import pytest

from contracts.phases.research import ResearchPhase
from settings import Settings
from tests.api.conftest import Site


@pytest.fixture
async def form(site: Site) -> dict[str, Any]:
    answer = (await site.get("/v1/metadata")).json()
    assert answer["research_collection"] == Settings().greenlight_research_collection
    found: dict[str, Any] = answer["research_settings_schema"]
    jsonschema.Draft202012Validator.check_schema(found)
    return found


def test_collection_has_the_name_in_the_specification() -> None:
    assert Settings.model_fields["greenlight_research_collection"].default == "research-sessions"


async def test_settings_schema_has_the_defaults_of_the_phase(form: dict[str, Any]) -> None:
    defaults = {name: about["default"] for name, about in form["properties"].items()}
    specified = {"max_report_update_size": 800, "max_search_results_per_query": 5}
    specified |= {"max_sources": 20, "timeout_seconds": 600}
    assert specified.items() <= defaults.items()
    assert defaults.pop("timeout_seconds") == ResearchPhase().timeout_seconds
    assert defaults == ResearchPhase().config.model_dump(include=set(defaults))
    assert all(about["description"] for about in form["properties"].values())


@pytest.mark.parametrize(
    ("filled", "override"),
    [
        ({"max_sources": 0}, {"config": {"max_sources": 0}}),
        ({"timeout_seconds": 0}, {"timeout_seconds": 0}),
    ],
)
async def test_start_refuses_settings_outside_the_schema(
    site: Site, form: dict[str, Any], filled: dict[str, int], override: dict[str, Any]
) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(filled, form)
    body = {"query": "Where to sell pumps?", "config_overrides": {"research": override}}
    answer = await site.post("/v1/workflows/deep_research/run", body)
    assert answer.status_code == 422
    [problem] = answer.json()["problems"]
    assert all(name in problem["path"] for name in filled)
