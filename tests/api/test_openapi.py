"""The description is complete: a client made from it, knowing nothing else, drives a whole run."""

import asyncio
from collections.abc import Iterator
from typing import Any, get_args

import jsonschema
import pytest

from api.reports import ReportFormat
from contracts.runs.events import PAYLOADS
from tests.api.conftest import Site

Described = dict[str, Any]


class Generated:
    """Calls operations by id; holds every body and answer against the description."""

    def __init__(self, site: Site, description: Described) -> None:
        self._site = site
        self._description = description
        self._operations = {
            operation["operationId"]: (method, path, operation)
            for method, path, operation in operations(description)
        }

    async def __call__(self, operation_id: str, body: object = None, **given: Any) -> Any:
        method, path, operation = self._operations[operation_id]
        query: dict[str, Any] = {}
        headers: dict[str, str] = {}
        for parameter in operation.get("parameters", ()):
            name = parameter["name"]
            assert name in given or not parameter["required"], name
            if name in given and parameter["in"] == "path":
                path = path.replace(f"{{{name}}}", given.pop(name))
            elif name in given:
                (headers if parameter["in"] == "header" else query)[name] = given.pop(name)
        assert not given, f"{operation_id} takes no {given}"
        if body is not None:
            self._check(body, operation["requestBody"]["content"]["application/json"])
        answer = await self._site.http.request(
            method, path, params=query, json=body, headers=headers
        )
        described = operation["responses"][str(answer.status_code)]
        assert all(name in answer.headers for name in described.get("headers", ()))
        if answer.status_code == 204:
            return None
        told = described["content"]
        media_type = answer.headers["content-type"].partition(";")[0]
        if not media_type.endswith("json"):
            assert media_type in told
            return answer.text
        self._check(answer.json(), told[media_type])
        return answer.json()

    def _check(self, value: object, content: Described) -> None:
        components = {"components": self._description["components"]}
        jsonschema.Draft202012Validator({**content["schema"], **components}).validate(value)


def operations(description: Described) -> Iterator[tuple[str, str, Described]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


@pytest.fixture
async def description(site: Site) -> Described:
    found: Described = (await site.get("/openapi.json")).json()
    return found


async def test_generated_client_drives_a_whole_run(site: Site, description: Described) -> None:
    call = Generated(site, description)
    definition = (await call("list_workflows"))["items"][0]["id"]
    start = {"query": "Where to sell pumps?"}
    run = (await call("run_workflow", start, definition_id=definition))["run_id"]
    state = await call("get_state", run_id=run)
    async with asyncio.timeout(60):
        while not state["pending"]:
            state = await call("get_state", run_id=run)
    questions = {q["id"]: None for q in state["pending"][0]["questions"]}
    state = await call("answer_questions", {"answers": questions}, run_id=run, wait=20)
    assert (await call("decide", {"action": "approve"}, run_id=run))["type"] == "invalid-input"
    approval = {"action": "approve", "plan_hash": state["pending"][0]["plan_hash"]}
    state = await call("decide", approval, run_id=run, wait=20)
    assert state["status"] == "completed"
    assert "workflow_complete" in await call("stream_events", run_id=run)
    for reads in ("get_run", "list_run_phases", "list_events", "list_sources"):
        await call(reads, run_id=run)
    assert (await call("get_report", run_id=run)).startswith("# ")
    for file in ("md", "html", "json", "bib"):
        assert await call("get_report", run_id=run, format=file)
    assert run in str(await call("list_runs", status="completed"))
    assert (await call("pause", run_id=run))["status"] == 409
    assert (await call("delegate", {"to": "ben"}, run_id=run))["status"] == 409


@pytest.mark.full
async def test_report_is_described_in_every_format(site: Site, description: Described) -> None:
    call, run = Generated(site, description), await site.complete()
    for file in get_args(ReportFormat):
        assert await call("get_report", run_id=run.rpartition("/")[2], format=file)


async def test_definition_is_saved_changed_and_deleted(site: Site, description: Described) -> None:
    call = Generated(site, description)
    file = await call("export_workflow", definition_id="deep_research")
    assert (await call("import_workflow", file))["status"] == 409
    made = await call("import_workflow", file, id="generated")
    change = {"title": "Changed", "phases": made["phases"]}
    one = {"definition_id": "generated"}
    assert (await call("replace_workflow", change, **one))["status"] == 428
    changed = await call("replace_workflow", change, **one, **{"if-match": '"1"'})
    assert changed == await call("get_workflow", **one)
    assert (await call("replace_workflow", change, **one, **{"if-match": '"1"'}))["status"] == 412
    assert len((await call("list_workflow_versions", **one))["items"]) == 2
    assert (await call("set_default_workflow", {"id": "generated"})) == changed
    assert (await call("validate_workflow", **one))["valid"]
    await call("delete_workflow", **one)
    assert (await call("get_workflow", **one))["status"] == 404


async def test_every_operation_documents_its_responses_and_errors(description: Described) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(description)]
    assert len(set(ids)) == len(ids)
    for _, path, operation in operations(description):
        assert operation["summary"]
        for status, answer in operation["responses"].items():
            if path != "/readyz" and status >= "400":
                assert list(answer["content"]) == ["application/problem+json"], (path, status)
    schemas = description["components"]["schemas"]
    assert {"ProblemDetails", "Problem"} <= set(schemas)
    assert "HTTPValidationError" not in schemas
    text = str(description)
    assert all(ref in schemas for ref in _refs(text))


async def test_every_event_type_has_a_schema_with_its_payload(description: Described) -> None:
    schemas = description["components"]["schemas"]
    types = schemas["LoggedEvent"]["discriminator"]["mapping"]
    assert set(types) == set(PAYLOADS)
    assert [form["$ref"] for form in schemas["LoggedEvent"]["oneOf"]] == list(types.values())
    components = {"components": description["components"]}
    for name, ref in types.items():
        event = schemas[ref.rsplit("/", 1)[1]]
        assert event["properties"]["type"]["const"] == name
        assert "payload" in event["required"]
        jsonschema.Draft202012Validator.check_schema({**event, **components})


async def test_no_two_schemas_share_a_title(description: Described) -> None:
    titles = [schema.get("title", name) for name, schema in _schemas(description)]
    assert len(set(titles)) == len(titles)


async def test_payloads_in_the_description_are_those_of_the_code(description: Described) -> None:
    schemas = dict(_schemas(description))
    for payload in PAYLOADS.values():
        schema = payload.json_schema(ref_template="#/components/schemas/{model}")
        own = schema.pop("$defs", {})
        for name, form in (own if "anyOf" in schema else {**own, schema["title"]: schema}).items():
            assert schemas[name].get("properties", {}).keys() == form.get("properties", {}).keys()
            assert schemas[name].get("required") == form.get("required")


def _schemas(description: Described) -> list[tuple[str, Described]]:
    return list(description["components"]["schemas"].items())


def _refs(text: str) -> set[str]:
    return {part.split("'")[0] for part in text.split("#/components/schemas/")[1:]}


async def test_what_a_human_decides_on_and_what_a_run_gave_are_typed(
    description: Described,
) -> None:
    schemas = description["components"]["schemas"]
    subject = schemas["Checkpoint"]["properties"]["subject"]["anyOf"][0]
    assert set(subject["discriminator"]["mapping"]) == {
        "plan",
        "step",
        "ideas",
        "results",
        "budget",
    }
    state = schemas["StateView"]["properties"]
    assert {"$ref": "#/components/schemas/Plan"} in state["plan"]["anyOf"]
    assert state["results"] == {"$ref": "#/components/schemas/Results"}
