"""Definitions of one's own: composed, changed, deleted."""

import asyncio
import time
from typing import Any

import httpx
import pytest

from api.access.auth import authenticate
from api.app import create_app
from api.dependencies import Dependencies
from contracts.access.principal import Principal
from contracts.base import Json
from contracts.definitions import FORMAT, RESERVED
from contracts.preset_definitions import PRESETS
from settings import Settings
from store.postgres.pool import Pool
from store.run_records.event_log import Listener
from tests.api.conftest import Site
from tests.api.definitions.saved import ALL, BODY, GATED, MINE, put
from tests.api.test_validation_errors import told
from tests.support.words import phrase

pytestmark = pytest.mark.usefixtures("tidy")


async def test_presets_are_listed_and_valid(site: Site) -> None:
    listed = (await site.get(ALL)).json()["items"]
    assert [d["id"] for d in listed] == list(PRESETS)
    assert (await site.get(ALL, include_system=False)).json()["items"] == []
    for definition in listed:
        path = f"{ALL}/{definition['id']}"
        assert (await site.get(path)).json() == definition
        validity = (await site.post(f"{path}/validate")).json()
        assert validity["valid"]
        assert set(validity["bindings"]) == {p["id"] for p in definition["phases"]}
        required = {"investment_analysis": ["ticker"], "sentence_edit": ["sentence", "former"]}
        assert validity["inputs_schema"].get("required") == required.get(definition["id"])
    told(await site.get(f"{ALL}/deep_research", version=9), 404, "not-found")


async def test_an_unsaved_body_is_validated(site: Site) -> None:
    body = {"id": "mine", "phases": [{"kind": "planning"}, {"kind": "research"}]}
    validity = (await site.post(f"{ALL}/validate", body)).json()
    assert not validity["valid"]
    assert [p["path"] for p in validity["problems"]] == ["phases[1]"]


@pytest.mark.parametrize(
    ("phases", "places"),
    [
        ([{"kind": "planning", "after": ["planning"]}], ["phases[0].after"]),
        ([*GATED, {"kind": "planning"}], ["phases[2].id"]),
        ([*GATED, {"kind": "crew", "after": ["nobody"]}], ["phases[2].after[0]"]),
        ([{"kind": "synthesis"}],
         ["phases[0].bind.plan", "phases[0].bind.sources", "phases[0].bind.findings"]),
        ([{"kind": "planning", "id": "a", "after": []}, {"kind": "planning", "id": "b", "after": []},
          {"kind": "hitl_checkpoint", "after": ["a", "b"]}], ["phases[2].bind.plan"]),
        ([{"kind": "planning", "enabled": False}, {"kind": "hitl_checkpoint"}],
         ["phases[1].bind.plan"]),
    ],
)  # fmt: skip
async def test_invalid_definition_is_422_with_its_paths(
    site: Site, phases: list[Any], places: list[str]
) -> None:
    body = {"id": "mine", "phases": phases}
    validity = (await site.post(f"{ALL}/validate", body)).json()
    assert not validity["valid"]
    found = [p["path"] for p in validity["problems"]]
    assert found == [place for place in places if place in found] != []
    refused = told(await site.post(ALL, body), 422, "invalid-definition")
    assert refused["problems"] == validity["problems"]


@pytest.mark.full
async def test_a_thousand_phases_are_validated_in_a_moment(site: Site) -> None:
    phases = [*GATED, *({"kind": "research", "id": f"r{i}"} for i in range(998))]
    started = time.process_time()
    validity = (await site.post(f"{ALL}/validate", {"id": "mine", "phases": phases})).json()
    assert validity["valid"]
    assert len(validity["bindings"]) == 1_000
    assert time.process_time() - started < 5
    over = {"id": "mine", "phases": [*phases, {"kind": "recall"}]}
    validity = (await site.post(f"{ALL}/validate", over)).json()
    assert [p["path"] for p in validity["problems"]] == ["phases"]


async def test_problems_of_form_and_of_meaning_are_listed_together(site: Site) -> None:
    phases = [
        {"kind": "planning", "config": {"max_plan_steps": 0}},
        {"kind": "planning"},
        {"kind": "hitl_checkpoint", "after": ["nobody"], "config": {"wait_seconds": -1}},
        {"kind": "validation", "after": []},
        {"kind": "control", "config": {"colour": "red"}},
        {"kind": "summary", "id": "a", "after": ["b"]},
        {"kind": "summary", "id": "b", "after": ["a"]},
        {"kind": "summary", "id": "c", "after": ["planning"], "bind": {"juggled": "planning"}},
    ]
    body = {"id": "mine", "phases": phases}
    validity = (await site.post(f"{ALL}/validate", body)).json()
    assert not validity["valid"]
    assert {p["path"] for p in validity["problems"]} == {
        "phases[0].config.max_plan_steps",
        "phases[1].id",
        "phases[2].after[0]",
        "phases[2].config.wait_seconds",
        *(f"phases[3].bind.{need}" for need in ("plan", "sources", "report")),
        "phases[3]",
        "phases[4].config.colour",
        "phases[5].after",
        "phases[6].after",
        "phases[7].bind.juggled",
    }
    refused = told(await site.post(ALL, body), 422, "invalid-definition")
    assert refused["problems"] == validity["problems"]


async def test_ids_are_checked_where_a_phase_is_of_no_kind(site: Site) -> None:
    phases = [
        {"kind": "planning", "config": {"max_plan_steps": 0}},
        {"kind": "planning"},
        {"kind": "hitl_checkpoint", "after": ["nobody"]},
        {"kind": "juggling", "bind": {"plan": "none"}},
    ]
    refused = told(
        await site.post(ALL, {"id": "mine", "phases": phases}), 422, "invalid-definition"
    )
    assert [p["path"] for p in refused["problems"]] == [
        *("phases[0].config.max_plan_steps", "phases[3].kind"),
        *("phases[1].id", "phases[2].after[0]", "phases[3].bind.plan"),
    ]
    formless: list[Any] = [
        *({"phases": [{"kind": 5}, 7]}, {"phases": {}}, [], {"phases": [{}]}),
        *({"phases": [{"id": "a", "kind": kind}]} for kind in KINDLESS),
        {"phases": [{"id": "a"}]},
    ]
    for worse in formless:
        validity = (await site.post(f"{ALL}/validate", worse)).json()
        assert validity["problems"]
        assert not validity["valid"]


async def test_a_phase_without_a_kind_is_told_what_it_needs(site: Site) -> None:
    body = {"id": "mine", "phases": [{"type": "planning"}, {"kind": "summary", "after": ["x"]}]}
    problem, other = (await site.post(f"{ALL}/validate", body)).json()["problems"]
    assert problem["path"] == "phases[0].kind"
    assert problem["message"].startswith(f"{phrase('value-tag-missing')} recall, clarification")
    assert other["path"] == "phases[1].after[0]"


async def test_a_model_without_a_price_is_refused_where_it_is_written(site: Site) -> None:
    models = {"researcher": "claude-unheard-of"}
    phases = [*GATED, {"kind": "research", "config": {"models": models}}]
    body = {"id": "mine", "phases": phases}
    [problem] = (await site.post(f"{ALL}/validate", body)).json()["problems"]
    assert problem["path"] == f"phases[{len(GATED)}].config.models.researcher"
    assert problem["params"] == {"model": "claude-unheard-of"}
    refused = told(await site.post(ALL, body), 422, "invalid-definition")
    assert refused["problems"] == [problem]


KINDLESS: tuple[Any, ...] = ({}, [], None, 5)


def crew(**config: Any) -> Json:
    return {"id": "mine", "phases": [*GATED, {"kind": "crew", **config}]}


async def test_valid_definition_is_saved(site: Site) -> None:
    made = await site.post(ALL, crew())
    assert (made.status_code, made.json()["version"], made.headers["etag"]) == (201, 1, '"1"')
    assert (await site.get(MINE)).json() == made.json()
    told(await site.post(ALL, crew()), 409, "conflict")
    told(await site.post(ALL, crew() | {"id": "deep_research"}), 409, "conflict")
    bare = {"id": "bare", "phases": [{"kind": "crew"}]}
    refused = told(await site.post(ALL, bare), 422, "invalid-definition")
    assert [p["path"] for p in refused["problems"]] == ["phases[0].bind.plan", "phases[0]"]
    told(await site.get(f"{ALL}/bare"), 404, "not-found")


async def test_a_crew_that_reaches_beyond_its_role_is_refused_with_a_path(site: Site) -> None:
    thinker = {"id": "a", "works_as": "strategist", "role": "A", "goal": "Think"}
    task = {"id": "t", "agent": "a", "description": "Think.", "expected_output": "A thought."}
    greedy = {"agents": [thinker | {"tools": ["web_search"]}], "tasks": [task]}
    refused = told(await site.post(ALL, crew(config=greedy)), 422, "invalid-definition")
    [problem] = refused["problems"]
    assert problem["path"] == "phases[2].config.agents[0].tools"
    assert problem["code"] == "tools-beyond-role"
    assert problem["params"] == {"role": "strategist", "tools": ["web_search"]}
    alone = {"agents": [thinker], "tasks": [task | {"agent": "b"}]}
    refused = told(await site.post(ALL, crew(config=alone)), 422, "invalid-definition")
    assert refused["problems"][0]["path"] == "phases[2].config.tasks[0].agent"


async def test_a_change_is_a_new_version(site: Site) -> None:
    first = (await site.post(ALL, BODY)).json()
    without_id = {name: value for name, value in BODY.items() if name != "id"}
    changed = await put(site, without_id | {"title": "Second"}, '"1"')
    assert (changed.status_code, changed.headers["etag"]) == (200, '"2"')
    newest = await site.get(MINE)
    assert newest.json() == changed.json() == first | {"title": "Second", "version": 2}
    assert newest.headers["etag"] == '"2"'
    assert (await site.get(MINE, version=1)).json() == first
    page = (await site.get(f"{MINE}/versions")).json()
    assert [(v["version"], v["title"]) for v in page["items"]] == [(2, "Second"), (1, "First")]
    assert page["next_cursor"] is None
    [preset] = (await site.get(f"{ALL}/deep_research/versions")).json()["items"]
    assert (preset["version"], preset["created_at"]) == (1, None)


async def test_a_change_names_the_version_it_was_made_from(site: Site) -> None:
    await site.post(ALL, BODY)
    missing = told(await put(site, BODY, None), 428, "precondition-required")
    assert '"1"' in missing["detail"]
    assert (await put(site, BODY, '"1"')).status_code == 200
    for stale in ('"1"', "2", 'W/"2"', "*", ""):
        refused = told(await put(site, BODY, stale), 412, "precondition-failed")
        assert refused["problems"][0]["params"]["version"] == '"2"'
    assert (await put(site, BODY, '"1", "2"')).status_code == 200


async def test_concurrent_edits_let_exactly_one_win(site: Site) -> None:
    await site.post(ALL, BODY)
    edits = (put(site, BODY | {"title": f"Editor {i}"}, '"1"') for i in range(6))
    answers = await asyncio.gather(*edits)
    [won] = [answer for answer in answers if answer.status_code == 200]
    assert {answer.status_code for answer in answers} == {200, 412}
    assert (await site.get(MINE)).json() == won.json()


async def test_a_change_that_does_not_fit_changes_nothing(site: Site) -> None:
    made = (await site.post(ALL, BODY)).json()
    other = told(await put(site, BODY | {"id": "other"}, '"1"'), 422, "invalid-input")
    assert [p["path"] for p in other["problems"]] == ["id"]
    broken = BODY | {"phases": [{"kind": "research"}, {"kind": "crew", "after": []}]}
    refused = told(await put(site, broken, '"1"'), 422, "invalid-definition")
    assert {"phases[0]", "phases[1]"} <= {p["path"] for p in refused["problems"]}
    formless = BODY | {"phases": [{"kind": "juggling"}, {"kind": "crew", "colour": "red"}]}
    refused = told(await put(site, formless, '"1"'), 422, "invalid-definition")
    assert [p["path"] for p in refused["problems"]] == ["phases[0].kind", "phases[1].colour"]
    told(await put(site, BODY, '"1"', f"{ALL}/nothing"), 404, "not-found")
    assert (await site.get(MINE)).json() == made


async def test_presets_are_read_only(site: Site) -> None:
    path = f"{ALL}/deep_research"
    for if_match in (None, '"1"'):
        refused = told(await put(site, {"phases": GATED}, if_match, path), 409, "conflict")
        assert phrase("definition-preset") in refused["detail"]
    told(await site.http.delete(path, params={"force": True}), 409, "conflict")


async def test_definition_of_another_user_is_readable_and_not_writable(site: Site) -> None:
    await site.post(ALL, BODY)
    async with Pool(site.database) as pool:
        listener = Listener(site.database)
        services = Dependencies(Settings(), pool, listener, site.temporal, site.blobs)
        app = create_app(services, ["site"])
        app.dependency_overrides[authenticate] = lambda: Principal(user_id="bob")
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://site") as bob:
            assert (await bob.get(MINE)).status_code == 200
            changed = await bob.put(MINE, json=BODY, headers={"If-Match": '"1"'})
            told(changed, 403, "not-owner")
            told(await bob.delete(MINE), 403, "not-owner")
            told(await bob.post(ALL, json=BODY), 409, "conflict")
    assert (await site.get(MINE)).json()["version"] == 1


async def test_deletion_with_a_stale_if_match_is_412(site: Site) -> None:
    await site.post(ALL, BODY)
    await put(site, BODY, '"1"')
    for stale in ('"1"', '"3"', ""):
        refused = await site.http.delete(MINE, headers={"If-Match": stale})
        told(refused, 412, "precondition-failed")
    assert (await site.http.delete(MINE, headers={"If-Match": '"2"'})).status_code == 204
    told(await site.http.delete(MINE, headers={"If-Match": '"2"'}), 404, "not-found")


async def test_deleted_definition_is_404_and_its_versions_count_on(site: Site) -> None:
    await site.post(ALL, BODY)
    await put(site, BODY, '"1"')
    deleted = await site.http.delete(MINE)
    assert (deleted.status_code, deleted.content) == (204, b"")
    for path in (MINE, f"{MINE}?version=1", f"{MINE}/versions", f"{MINE}/export"):
        told(await site.get(path), 404, "not-found")
    told(await site.http.delete(MINE), 404, "not-found")
    told(await put(site, BODY, '"2"'), 404, "not-found")
    again = await site.post(ALL, BODY)
    assert (again.json()["version"], again.headers["etag"]) == (3, '"3"')


@pytest.mark.full
async def test_a_run_keeps_its_definition_when_that_is_changed_and_deleted(site: Site) -> None:
    """A waiting run keeps the definition it was started with, even if that is changed or deleted."""
    file = (await site.get(f"{ALL}/deep_research/export")).json()
    await site.post(f"{ALL}/import", file, id="mine")
    started = (await site.post(f"{MINE}/run", {"query": "Where to sell pumps?"})).json()
    run = f"/v1/runs/{started['run_id']}"
    await site.until(run, "clarification")
    assert (await put(site, {"phases": GATED}, '"1"')).status_code == 200
    planned = (await site.post(f"{run}/answers", {"rest": None}, wait=30)).json()
    in_use = told(await site.http.delete(MINE), 409, "conflict")
    assert "a run of it is still going" in in_use["detail"]
    assert (await site.http.delete(MINE, params={"force": True})).status_code == 204
    decision = {"action": "approve", "plan_hash": planned["plan_hash"]}
    ended = (await site.post(f"{run}/decision", decision, wait=30)).json()
    assert ended["status"] == "completed", ended
    assert [p["id"] for p in ended["phases"]] == [p["id"] for p in file["phases"]]
    await site.follow(run, 0)
    row = (await site.get(run)).json()
    assert (row["definition_id"], row["definition_version"]) == ("mine", 1)
    told(await site.post(f"{MINE}/run", {"query": "x"}), 404, "not-found")
    assert (await site.post(ALL, BODY)).json()["version"] == 3
    assert (await site.http.delete(MINE)).status_code == 204


@pytest.mark.parametrize("word", RESERVED)
async def test_reserved_word_is_no_id(site: Site, word: str) -> None:
    refused = told(await site.post(ALL, BODY | {"id": word}), 422, "invalid-definition")
    assert [p["path"] for p in refused["problems"]] == ["id"]
    assert "default, import, validate" in refused["detail"]
    file = BODY | {"format": FORMAT}
    told(await site.post(f"{ALL}/import", file, id=word), 422, "invalid-input")
    told(await site.http.delete(f"{ALL}/{word}"), 422, "invalid-input")
    told(await put(site, {"id": word}, None, f"{ALL}/default"), 422, "invalid-input")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", f"{ALL}/a%00b"),
        ("GET", f"{ALL}/mine?version=0"),
        ("GET", f"{ALL}/mine?version=99999999999"),
        ("PUT", f"{ALL}/a%20b"),
        ("DELETE", f"{ALL}/mine?force=perhaps"),
    ],
)
async def test_invalid_definition_id_is_422(site: Site, method: str, path: str) -> None:
    told(await site.http.request(method, path), 422, "invalid-input")
