"""A run over HTTP, from its start to its report."""

from tests.api.conftest import Site


async def test_a_run_is_driven_to_its_report(site: Site) -> None:
    run = await site.start()
    asked = await site.until(run, "clarification")
    assert (asked["status"], asked["stage"], asked["live"]) == ("waiting", "clarify", True)
    answers = {"answers": {"q1": "there", "q2": None}}
    answered = await site.post(f"{run}/answers", answers, wait=20)
    assert answered.status_code == 202
    planned = answered.json()
    assert planned["accepted"] == "update"
    assert planned["pending"][0]["plan_hash"] == planned["plan_hash"]
    decision = {"action": "approve", "plan_hash": planned["plan_hash"], "by": "ann"}
    done = (await site.post(f"{run}/decision", decision, wait=20)).json()
    assert (done["status"], done["stage"]) == ("completed", "completed")
    recorded = (await site.get(run, include="outputs")).json()
    assert recorded["status"] == "completed"
    assert recorded["outputs"]["synthesis"]["report"]["title"] == "Pumps, compared"
    assert [p["status"] for p in recorded["phases"]] == ["completed"] * 6
