"""Keys of blobs stay on the server: no client sends or sees one, and no tenant reads by another's."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, get_args

import pytest
from temporalio.client import Client

from contracts.base import Contract
from contracts.blobs import KEY_FIELDS, IsBlobKey
from store.access.access_keys import KeyRepository
from tests.api.access.conftest import sign_in
from tests.api.conftest import Site
from tests.api.documents.test_files import given as upload
from tests.api.test_validation_errors import START, told

READS = (
    "",
    "?include=outputs",
    "/state",
    "/phases",
    "/phases?include=inputs",
    "/phases/research",
    "/phases/research/chat",
    "/events",
    "/report",
    "/report?format=json",
    "/report?format=html",
    "/sources",
    "/artifacts",
)
SYNTHESIS: dict[str, Any] = {"query": "What?", "only": ["synthesis"]}


@dataclass
class Tenants:
    """Two users of one tenant, one of another, and a finished run of the first."""

    ana: Site
    ben: Site
    mallory: Site
    run: str
    file: str

    @property
    def run_id(self) -> str:
        return self.run.rpartition("/")[2]

    def list_blobs(self) -> dict[str, bytes]:
        """Return all blobs of the first tenant by their keys."""
        folder = self.ana.folder / "acme"
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def engine(temporal: Client) -> Client:
    return temporal


@pytest.fixture(scope="module")
async def tenants(site: Site, keys: KeyRepository) -> AsyncIterator[Tenants]:
    async with AsyncExitStack() as stack:
        ana = await sign_in(site, keys, "acme", "ana", stack)
        ben = await sign_in(site, keys, "acme", "ben", stack)
        mallory = await sign_in(site, keys, "evil", "mallory", stack)
        file = await upload(ana, "Pumps are a secret.")
        run = await ana.complete(user_id="ana", files=[file])
        yield Tenants(ana, ben, mallory, run, file)


def bring(*sources: object, **more: object) -> dict[str, Any]:
    """Return a start that brings a research with these sources."""
    research = {"sources": sources, "findings": [], "searches": [], "gaps": [], **more}
    return {**SYNTHESIS, "given": {"research": research}}


def find_subclasses(model: type[Contract]) -> set[type[Contract]]:
    return {model}.union(*map(find_subclasses, model.__subclasses__()))


def test_key_fields_are_exactly_the_fields_of_type_blob_key() -> None:
    """What hides and refuses them goes by these names."""
    marked = {
        name
        for model in find_subclasses(Contract)
        for name, field in model.model_fields.items()
        if any(isinstance(m, IsBlobKey) for m in (*field.metadata, *get_args(field.annotation)))
    }
    assert marked == KEY_FIELDS
    named = {
        (model.__name__, name)
        for model in find_subclasses(Contract)
        for name, field in model.model_fields.items()
        if name in KEY_FIELDS and not any(isinstance(m, IsBlobKey) for m in field.metadata)
    }
    assert not named


async def test_no_answer_shows_a_key(tenants: Tenants) -> None:
    keys = {*tenants.list_blobs()}
    assert keys
    async with asyncio.timeout(60):
        shown = [(path, (await tenants.ana.get(tenants.run + path)).text) for path in READS]
        stream = await tenants.ana.follow(tenants.run, 0)
    shown += [("/stream", event.model_dump_json()) for event in stream]
    for path, text in shown:
        assert not [name for name in KEY_FIELDS if f'"{name}"' in text], path
        assert not [key for key in keys if key in text], path


@pytest.mark.parametrize("field", sorted(KEY_FIELDS))
async def test_given_output_with_a_key_is_refused_wherever_it_stands(
    tenants: Tenants, field: str
) -> None:
    key = next(iter(tenants.list_blobs()))
    page = (await tenants.ana.get(f"{tenants.run}/sources")).json()["items"][0]
    whole = {name: page[name] for name in ("url", "retrieved_at", "content_hash", "chars")}
    starts: list[tuple[str, dict[str, Any]]] = [
        (f"given.research.sources[0].{field}", bring({**whole, field: key})),
        (f"given.research.artifacts[0].{field}", bring(artifacts=[{field: key}])),
        (f"given.research.deep.down[0].{field}", bring(deep={"down": [{field: key}]})),
    ]
    for who in (tenants.mallory, tenants.ben):
        for path, body in starts:
            for way in (START, START.replace("/run", "/estimate")):
                refused = told(await who.post(way, body), 422, "invalid-input")
                assert path in {problem["path"] for problem in refused["problems"]}
        refused = told(await who.post(START, bring(whole)), 422, "invalid-input")
        assert '{"run_id": …, "n": …}' in refused["problems"][0]["message"]


async def test_source_is_named_by_run_and_number_within_the_tenant_alone(tenants: Tenants) -> None:
    named = {"run_id": tenants.run_id, "n": 1}
    text = (await tenants.ana.get(f"{tenants.run}/sources/1/snapshot")).text
    refused = told(await tenants.mallory.post(START, bring(named)), 422, "invalid-input")
    [problem] = refused["problems"]
    assert (problem["path"], problem["code"]) == ("given.research.sources[0]", "no-such-run")
    for wrong in ({**named, "n": 99}, {**named, "run_id": "run-none"}, {"file_id": tenants.file}):
        told(await tenants.mallory.post(START, bring(wrong)), 422, "invalid-input")
    refused = told(
        await tenants.ben.post(START, bring({"file_id": tenants.file})), 422, "invalid-input"
    )
    assert refused["problems"][0]["code"] == "no-such-file"
    run = await tenants.ben.start(**bring(named), user_id="ben")
    await tenants.ben.follow(run, 0)
    assert (await tenants.ben.get(f"{run}/sources/1/snapshot")).text == text
    own = await tenants.ana.start(**bring({"file_id": tenants.file}), user_id="ana")
    await tenants.ana.follow(own, 0)
    assert "secret" in (await tenants.ana.get(f"{own}/sources/1/snapshot")).text


async def test_removal_of_a_run_takes_no_blob_that_others_need(tenants: Tenants) -> None:
    """Neither by strings that read like keys, nor by pages that it took over."""
    before = tenants.list_blobs()
    strings = [*before, *(f"acme/{key}" for key in before)]
    for who, name, body in (
        (tenants.mallory, "mallory", bring(gaps=strings)),
        (tenants.ben, "ben", bring({"run_id": tenants.run_id, "n": 1}, gaps=strings)),
    ):
        run = await who.start(**body, user_id=name)
        await who.follow(run, 0)
        assert (await who.http.delete(run)).status_code == 204
    after = tenants.list_blobs()
    assert {key: after.get(key) for key in before} == before
    snapshot = await tenants.ana.get(f"{tenants.run}/sources/1/snapshot")
    assert snapshot.status_code == 200
