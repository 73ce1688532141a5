"""Definitions that are carried elsewhere: exported, imported, printed."""

import json
from typing import Any

import pytest

from contracts.definitions import FORMAT
from contracts.preset_definitions import PRESETS
from tests.api.conftest import Site
from tests.api.definitions.saved import ALL, BODY, MINE, put
from tests.api.test_validation_errors import told
from tests.conftest import ROOT
from tests.support.documents import read_blocks

pytestmark = pytest.mark.usefixtures("tidy")


async def test_exported_definition_imports_unchanged(site: Site) -> None:
    for preset in PRESETS:
        file = (await site.get(f"{ALL}/{preset}/export")).json()
        assert set(file) == {"format", "id", "title", "description", "report_phase", "phases"}
        assert next(iter(file)) == "format"
        if PRESETS[preset].consent:  # what a preset may do without an approval is not carried along
            told(await site.post(f"{ALL}/import", file, id="mine"), 422, "invalid-definition")
            continue
        told(await site.post(f"{ALL}/import", file), 409, "conflict")
        made = await site.post(f"{ALL}/import", file, id=f"my-{preset}")
        assert (made.status_code, made.headers["etag"]) == (201, '"1"')
        carried = (await site.get(f"{ALL}/my-{preset}/export")).json()
        assert carried == file | {"id": f"my-{preset}"}
        assert (await site.http.delete(f"{ALL}/my-{preset}")).status_code == 204
        assert (await site.post(f"{ALL}/import", carried)).status_code == 201
        assert (await site.get(f"{ALL}/my-{preset}/export")).json() == carried


async def test_an_older_version_can_be_exported(site: Site) -> None:
    await site.post(ALL, BODY)
    await put(site, BODY | {"title": "Second"}, '"1"')
    assert (await site.get(f"{MINE}/export", version=1)).json()["title"] == "First"
    assert (await site.get(f"{MINE}/export")).json()["title"] == "Second"


@pytest.mark.parametrize("format", ["greenlight.definition/2", "", None, 1])
async def test_an_unknown_format_is_refused(site: Site, format: object) -> None:
    file = BODY | ({"format": format} if format is not None else {})
    refused = told(await site.post(f"{ALL}/import", file), 422, "invalid-definition")
    assert [p["path"] for p in refused["problems"]] == ["format"]
    assert format is None or FORMAT in refused["detail"]


async def test_a_document_with_other_names_of_the_same_things_is_imported(site: Site) -> None:
    phases = [
        {"type": "idea_generation", "config": {"n_ideas": 2, "idea_maker_model": "maker"}},
        {"type": "hitl_checkpoint", "config": {"checkpoint_type": "custom", "timeout_seconds": 60}},
        {"type": "planning", "name": "Plan it", "config": {"max_retries": 1, "max_plan_steps": 5}},
        {"type": "hitl_checkpoint"},
        {"type": "control", "config": {"hitl_after_each_step": True, "engineer_model": "hands"}},
        {"type": "one_shot", "config": {"agent": "researcher", "model": "eyes"}},
    ]
    foreign = {"id": "mine", "name": "Idea to execution", "phases": phases, "is_system": True}
    answer = await site.post(f"{ALL}/import", foreign)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    ideas, choice, plan, gate, control, last = made["phases"]
    assert made["title"] == "Idea to execution"
    assert (ideas["kind"], ideas["config"]["models"]) == (
        "idea_generation",
        {"idea_maker": "maker"},
    )
    assert (choice["config"]["wait_seconds"], gate["id"]) == (60, "hitl_checkpoint-2")
    assert (plan["title"], plan["max_retries"]) == ("Plan it", 1)
    assert control["config"]["checkpoint_after_step"]
    assert control["config"]["models"] == {"engineer": "hands"}
    assert last["config"]["models"] == {"researcher": "eyes"}
    wrong = {
        "name": "x",
        "phases": [{"type": "planning", "config": {"max_rounds": 0, "colour": 1}}],
    }
    refused = told(await site.post(f"{ALL}/import", wrong), 422, "invalid-definition")
    places = {p["path"] for p in refused["problems"]}
    assert places == {"id", "phases[0].config.max_rounds", "phases[0].config.colour"}


@pytest.mark.parametrize(
    "phase",
    [
        {"type": {}},
        {"type": "planning", "config": 5},
        {"type": "planning", "config": {"model_overrides": 5}},
        {"type": "one_shot", "config": {"agent": [], "model": "m"}},
        7,
    ],
)
async def test_a_document_whose_parts_cannot_be_renamed_is_refused(site: Site, phase: Any) -> None:
    file = {"id": "mine", "phases": [phase]}
    refused = told(await site.post(f"{ALL}/import", file), 422, "invalid-definition")
    assert refused["problems"]


async def test_an_import_is_validated(site: Site) -> None:
    file = {"format": FORMAT, "id": "mine", "phases": [{"kind": "research"}]}
    refused = told(await site.post(f"{ALL}/import", file), 422, "invalid-definition")
    assert "phases[0]" in {p["path"] for p in refused["problems"]}


async def test_a_documented_export_is_that_of_the_documented_definition(site: Site) -> None:
    composed, company, carried = (
        json.loads(block.text) for block in read_blocks(ROOT / "docs" / "definitions.md")
    )
    validity = (await site.post(f"{ALL}/validate", company)).json()
    assert validity["inputs_schema"]["required"] == ["ticker"]
    assert validity["bindings"]["decision"]["figures.analysis"] == ["figures"]
    two = f"{ALL}/{(await site.post(ALL, composed)).json()['id']}"
    assert (await site.post(f"{two}/validate")).json()["bindings"]["crew"] == {"plan": ["planning"]}
    exported = (await site.get(f"{two}/export")).json()
    assert (await site.http.delete(two)).status_code == 204
    assert (await site.post(f"{ALL}/import", carried)).status_code == 201
    assert (await site.get(f"{two}/export")).json() == exported
