"""A decision about a run's budget is its tenant's, once, at the checkpoint that is open."""

from contextlib import AsyncExitStack
from typing import Any

from temporalio.exceptions import ApplicationError

from store.access.access_keys import KeyRepository
from tests.api.access.conftest import sign_in
from tests.api.conftest import Site
from tests.api.reports.test_heads import approve


async def test_a_cap_is_raised_by_its_tenant_once_and_by_nobody_else(
    site: Site, keys: KeyRepository
) -> None:
    def refuse(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.name == "turn-2" and request.cap_usd < 2:
            raise ApplicationError("cap", type="budget-exceeded", non_retryable=True)

    site.fakes.before = refuse
    async with AsyncExitStack() as stack:
        ana = await sign_in(site, keys, "acme", "ana", stack)
        mallory = await sign_in(site, keys, "evil", "mallory", stack)
        run = await approve(ana)
        [asked] = (await ana.until(run, "research"))["pending"]
        said = {"choice": "raise", "cap_usd": 2, "checkpoint_id": asked["checkpoint_id"]}
        stale = said | {"checkpoint_id": "checkpoint-1"}
        given = [
            (await caller.post(f"{run}/decision", body)).status_code
            for caller, body in ((mallory, said), (ana, stale), (ana, said), (ana, said))
        ]
        assert given == [404, 409, 202, 409]
        state = (await ana.get(f"{run}/state", wait=30)).json()
    assert [d["cap_usd"] for d in state["decisions"] if d["cap_usd"]] == [2]
