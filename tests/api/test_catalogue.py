"""What there is to choose from: kinds, startups."""

from typing import Any

import jsonschema
import pytest

from tests.api.conftest import Site
from tests.api.test_validation_errors import told
from workflows.phases import PHASES


async def test_every_kind_has_schemas_that_accept_its_defaults(site: Site) -> None:
    kinds = (await site.get("/v1/phases")).json()["items"]
    assert [k["kind"] for k in kinds] == list(PHASES)
    for kind in kinds:
        schema = (await site.get(f"/v1/phases/{kind['kind']}/config-schema")).json()
        assert schema == kind["config_schema"]
        jsonschema.validate(kind["default_config"], schema)
        assert (await site.get(f"/v1/phases/{kind['kind']}")).json() == kind
    lean = (await site.get("/v1/phases", output_schemas=False)).json()["items"]
    assert lean == [{**kind, "output_schema": None} for kind in kinds]
    reach_the_web = {kind["kind"] for kind in kinds if kind["web"]}
    assert reach_the_web == {"retrieval", "research", "crew", "control", "validation"}


async def test_what_a_kind_needs_is_told_for_each_choice_of_its_config(site: Site) -> None:
    kinds = {kind["kind"]: kind for kind in (await site.get("/v1/phases")).json()["items"]}
    gate = kinds["hitl_checkpoint"]
    assert [(need["name"], need["required"]) for need in gate["needs"]] == [("plan", True)]
    needs = {
        str(*variant["config"].values()): {
            need["name"]: need["required"] for need in variant["needs"]
        }
        for variant in gate["variants"]
    }
    assert needs == {
        "before_execution": {"plan": False},
        "after_execution": {"plan": False, "results": False},
        "custom": {"plan": False, "ideas": False},
        "False": {"plan": False},
    }
    assert kinds["planning"]["variants"] == []
    [variant] = kinds["control"]["variants"]
    assert (variant["config"], variant["web"]) == ({"web": False}, False)
    for kind in kinds.values():
        for variant in kind["variants"]:
            jsonschema.validate(kind["default_config"] | variant["config"], kind["config_schema"])


async def test_what_every_phase_has_beside_its_config_is_told_with_the_kinds_own_defaults(
    site: Site,
) -> None:
    kinds = {kind["kind"]: kind for kind in (await site.get("/v1/phases")).json()["items"]}
    for kind in kinds.values():
        fields = kind["phase_schema"]["properties"]
        assert list(fields) == ["title", "enabled", "timeout_seconds", "max_retries"]
        assert fields["max_retries"]["maximum"] == 10
        defaults = {name: field["default"] for name, field in fields.items()}
        jsonschema.validate(defaults, kind["phase_schema"])
        body = {"id": "one", "phases": [{"kind": kind["kind"], "config": {}, **defaults}]}
        told = (await site.post("/v1/workflows/validate", body)).json()["problems"]
        assert not [p for p in told if p["path"].rpartition(".")[2] in fields]
    times = {
        n: k["phase_schema"]["properties"]["timeout_seconds"]["default"] for n, k in kinds.items()
    }
    assert (times["research"], times["planning"]) == (600, 60)


async def test_startups_are_stored_by_user(site: Site) -> None:
    body = {"user_id": "ann", "name": "Sun pumps", "industry": "energy"}
    made = await site.post("/v1/startups", body)
    assert made.status_code == 201
    startup = made.json()
    path = f"/v1/startups/{startup['id']}"
    assert (await site.get(path)).json()["name"] == "Sun pumps"
    changed = await site.http.put(path, json={**body, "name": "Sea pumps"})
    assert changed.json()["name"] == "Sea pumps"
    listed = (await site.get("/v1/startups", user_id="ann")).json()["items"]
    assert [s["id"] for s in listed] == [startup["id"]]
    assert (await site.get("/v1/startups", user_id="bob")).json()["items"] == []
    told(await site.http.put("/v1/startups/none", json=body), 404, "not-found")


async def test_a_startup_is_deleted_once(site: Site) -> None:
    bodies = [{"user_id": "eve", "name": name} for name in ("Sun pumps", "Sea pumps")]
    gone, left = [(await site.post("/v1/startups", body)).json()["id"] for body in bodies]
    deleted = await site.http.delete(f"/v1/startups/{gone}")
    assert (deleted.status_code, deleted.content) == (204, b"")
    for method in ("DELETE", "GET"):
        told(await site.http.request(method, f"/v1/startups/{gone}"), 404, "not-found")
    listed = (await site.get("/v1/startups", user_id="eve")).json()["items"]
    assert [s["id"] for s in listed] == [left]


@pytest.mark.full
async def test_run_saves_its_startup_for_the_next_one(site: Site) -> None:
    first = await site.complete({}, user_id="sue", save_startup=True)
    [kept] = (await site.get("/v1/startups", user_id="sue")).json()["items"]
    assert kept["name"] == "Pumps"
    assert kept["metadata"] == {"run_id": first.rpartition("/")[2]}
    assert (await site.get(f"{first}/state")).json()["startup"] == kept
    second = await site.complete({"startup": kept["name"]}, user_id="sue", save_startup=True)
    [only] = (await site.get("/v1/startups", user_id="sue")).json()["items"]
    assert only["last_accessed"] > kept["last_accessed"]
    assert (await site.get(f"{second}/state")).json()["startup"] == only
    await site.http.delete(f"/v1/startups/{kept['id']}")
    assert (await site.get(f"{second}/state")).json()["startup"] == only


@pytest.mark.parametrize(
    ("field", "value", "path"),
    [
        ("name", "", "name"),
        ("name", "x" * 201, "name"),
        ("description", "x" * 20_001, "description"),
        ("search_terms", ["pumps"] * 51, "search_terms"),
        ("search_terms", ["pumps", "x" * 301], "search_terms[1]"),
        ("metadata", {"notes": "x" * 20_000}, "metadata"),
    ],
)
async def test_a_startup_has_its_limits(site: Site, field: str, value: Any, path: str) -> None:
    answer = await site.post("/v1/startups", {"name": "Sun pumps", field: value})
    assert [p["path"] for p in told(answer, 422, "invalid-input")["problems"]] == [path]
