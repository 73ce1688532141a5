"""A fork pays for what it does again, and for nothing else: a summary is a text's opening, without a call."""

from tests.support.stack import Undisturbed, Whole


async def test_a_fork_of_the_summary_calls_nobody(whole: Whole, undisturbed: Undisturbed) -> None:
    parent = whole.run(undisturbed.run.id)
    before = (await parent.get("/phases")).json()
    answer = await whole.ask(from_run=parent.id, redo=["summary"])
    assert answer.status_code == 202, answer.text
    run = whole.run(answer.json()["run_id"])
    await run.completed()
    assert len(await whole.providers.asked("model")) == len(await whole.ledger(run)) == 0
    assert await whole.providers.asked("search") == await whole.providers.asked("pages") == []
    assert await run.report() == undisturbed.report
    assert (await parent.get("/phases")).json() == before
    assert run.id in (await parent.get()).json()["children"]


async def test_a_phase_tells_what_was_said_in_it(whole: Whole, undisturbed: Undisturbed) -> None:
    """Each call of a model is in the conversation, and what its tools gave with the next one, but for changes made."""
    run = whole.run(undisturbed.run.id)
    phases = {p["id"]: p for p in (await run.get("/phases")).json()["items"]}
    said = {name: p["chat_history"] for name, p in phases.items()}
    answers = [m for chat in said.values() for m in chat if m["role"] == "assistant"]
    assert len(answers) == undisturbed.models
    turns = [m["role"] for m in said["synthesis"]]
    assert turns == ["user", "assistant"] * (len(turns) // 2) != []
    called = {c["tool_id"]: c["tool_name"] for m in said["research"] for c in m["tool_calls"]}
    blocks = [b for m in said["research"] if m["role"] == "user" for b in m["content"]]
    given = {b["id"] for b in blocks if b["type"] == "tool_result"}
    planned = {id for id in given if id.startswith("planned-")}  # code made these searches
    assert given - planned < called.keys()
    assert {called[id] for id in called.keys() - given} == {"update_report"}, "the report shows it"
    assert [m["role"] for m in said["checkpoint"]] == ["checkpoint", "human"]
