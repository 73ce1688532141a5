"""What an interface learns before anybody asks: the collection, and a form that starts agree with."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from temporalio.client import Client

from contracts.base import Json
from contracts.phases.research import ResearchPhase
from settings import Settings
from tests.api.conftest import Site, site_over


@pytest.fixture
async def form(site: Site) -> dict[str, Any]:
    answer = (await site.get("/v1/metadata")).json()
    assert answer["research_collection"] == Settings().greenlight_research_collection
    found: dict[str, Any] = answer["research_settings_schema"]
    jsonschema.Draft202012Validator.check_schema(found)
    return found


def test_collection_has_the_name_in_the_specification() -> None:
    assert Settings.model_fields["greenlight_research_collection"].default == "research-sessions"


async def test_an_installation_s_research_settings_fill_what_is_left_out(
    database: str, quick_temporal: Client, tmp_path: Path
) -> None:
    own = {"max_sources": 7, "max_turns": 20}
    async with site_over(database, quick_temporal, tmp_path, greenlight_research=own) as site:
        form = (await site.get("/v1/metadata")).json()["research_settings_schema"]["properties"]
        assert {name: form[name]["default"] for name in own} == own
        assert form["max_search_results_per_query"]["default"] == 5

        async def configured(definition: str) -> Json:
            phases = (await site.get(f"/v1/workflows/{definition}")).json()["phases"]
            [config] = [phase["config"] for phase in phases if phase["kind"] == "research"]
            return {name: config[name] for name in own}

        assert await configured("deep_research") == own
        assert await configured("web_answer") == {"max_sources": 8, "max_turns": 6}, "its own"
        research = {"kind": "research", "config": {"max_turns": 12}}
        phases = [{"kind": "planning"}, {"kind": "hitl_checkpoint"}, research]
        made = await site.post("/v1/workflows", {"id": "mine", "phases": phases})
        assert made.status_code == 201
        assert await configured("mine") == {"max_sources": 7, "max_turns": 12}
        changed = {"research": {"config": {"max_sources": 20}}}
        runs = [await site.start(), await site.start(config_overrides=changed)]
        for run in runs:
            await site.until(run, "clarification")
        [usual, asked] = [run.rpartition("/")[2] for run in runs]
        found = (await site.get(f"/v1/runs/{usual}/compare/{asked}")).json()["config"]
        assert found == [{"path": "research.config.max_sources", "a": 7, "b": 20}]


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


async def test_kinds_state_the_phase_time_in_force(
    database: str, quick_temporal: Client, tmp_path: Path
) -> None:
    async with site_over(database, quick_temporal, tmp_path, greenlight_phase_seconds=90) as site:
        kinds = (await site.get("/v1/phases")).json()["items"]
        times = {
            k["kind"]: k["phase_schema"]["properties"]["timeout_seconds"]["default"] for k in kinds
        }
        assert (times["planning"], times["research"]) == (90, 600)
        phases = (await site.get("/v1/workflows/deep_research")).json()["phases"]
        assert {p["kind"]: p["timeout_seconds"] for p in phases}["planning"] == 90
        metadata = (await site.get("/v1/metadata")).json()
        settings = metadata["research_settings_schema"]["properties"]
        [research] = [p["timeout_seconds"] for p in phases if p["kind"] == "research"]
        assert settings["timeout_seconds"]["default"] == research
