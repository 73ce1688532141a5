"""Budgets are set by an operator's key, of its own tenant, and read by whom they concern."""

from contextlib import AsyncExitStack

from store.access.access_keys import KeyRepository
from tests.api.access.conftest import sign_in
from tests.api.conftest import Site


async def test_an_operator_s_key_alone_sets_budgets_of_its_tenant(
    site: Site, keys: KeyRepository
) -> None:
    async with AsyncExitStack() as stack:
        ana = await sign_in(site, keys, "acme", "ana", stack, "approve")
        ben = await sign_in(site, keys, "acme", "ben", stack)
        operator = await sign_in(site, keys, "acme", "olga", stack, "budgets")
        other = await sign_in(site, keys, "evil", "mallory", stack, "budgets")
        body = {"day_usd": 5, "month_usd": 50}
        put = [
            (await caller.http.put(f"/v1/budgets/{path}", json=body)).status_code
            for caller, path in (
                (ana, "user?holder=ana"),
                (ana, "tenant"),
                (operator, "user?holder=ana"),
                (operator, "tenant"),
                (operator, "key?holder=key-none"),
                (operator, "user"),
                (operator, "tenant?holder=ana"),
                (operator, "moon?holder=ana"),
                (other, "user?holder=ana"),
            )
        ]
        assert put == [403, 403, 200, 200, 404, 422, 422, 422, 200]
        empty = await operator.http.put("/v1/budgets/tenant", json={})
        assert (empty.status_code, empty.json()["problems"][0]["code"]) == (422, "budget-empty")
        seen = {
            who: [
                (b["kind"], b["holder"]) for b in (await caller.get("/v1/budgets")).json()["items"]
            ]
            for who, caller in (("ana", ana), ("ben", ben), ("olga", operator), ("mallory", other))
        }
        assert seen == {
            "ana": [("tenant", ""), ("user", "ana")],
            "ben": [("tenant", "")],
            "olga": [("tenant", ""), ("user", "ana")],
            "mallory": [("user", "ana")],
        }
        gone = [
            (await caller.http.delete("/v1/budgets/user", params={"holder": "ana"})).status_code
            for caller in (ana, operator, operator)
        ]
        assert gone == [403, 204, 404]
        run = await operator.http.post("/v1/workflows/web_answer/run", json={"query": "Why?"})
        assert run.status_code == 403, "it decides nothing"


async def test_nobody_s_key_is_a_way_round_a_key_s_budget(site: Site, keys: KeyRepository) -> None:
    """A key that is made by a key does not set what its maker may spend."""
    async with AsyncExitStack() as stack:
        ana = await sign_in(site, keys, "line", "ana", stack)
        made = await ana.post("/v1/keys", {"scope": "budgets"})
        assert made.status_code == 403
