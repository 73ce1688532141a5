"""The default definition, for starts that name none."""

import uuid

import pytest

from tests.api.conftest import Site
from tests.api.definitions.saved import ALL, BODY, MINE, put
from tests.api.test_validation_errors import told

pytestmark = pytest.mark.usefixtures("tidy")


async def test_a_tenant_has_a_default(site: Site) -> None:
    path = f"{ALL}/default"
    assert (await site.get(path)).json()["id"] == "deep_research"
    told(await put(site, {"id": "nothing"}, None, path), 404, "not-found")
    made = (await site.post(ALL, BODY)).json()
    chosen = await put(site, {"id": "mine"}, None, path)
    assert (chosen.status_code, chosen.json()) == (200, made)
    assert (await site.get(path)).json() == made
    started = (await site.post(f"{path}/run", {"query": "Where to sell pumps?"})).json()
    run = f"/v1/runs/{started['run_id']}"
    state = await site.until(run, "hitl_checkpoint")
    assert state["definition_id"] == "mine"
    assert (await site.get(run)).json()["definition_id"] == "mine"
    await site.post(f"{run}/cancel", {"mode": "now"}, wait=30)
    await site.follow(run, 0)
    assert (await site.http.delete(MINE)).status_code == 204
    assert (await site.get(path)).json()["id"] == "deep_research"


async def test_start_by_hand_takes_default_as_definition_id(site: Site) -> None:
    """A start past the gateway runs `deep_research` unless its input says otherwise."""
    await site.post(ALL, BODY)
    await put(site, {"id": "mine"}, None, f"{ALL}/default")
    for given, phase, definition in (
        ({}, "clarification", "deep_research"),
        ({"definition_id": "default"}, "hitl_checkpoint", "mine"),
    ):
        run = f"by-hand-{uuid.uuid4()}"
        start = {"query": "Where to sell pumps?", **given}
        handle = await site.temporal.start_workflow(
            "Research", start, id=run, task_queue=site.queue
        )
        state = await site.until(f"/v1/runs/{run}", phase)
        assert state["definition_id"] == definition
        await handle.cancel()
        await site.follow(f"/v1/runs/{run}", 0)
