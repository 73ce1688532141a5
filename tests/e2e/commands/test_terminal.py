"""The terminal on the real stack: a stranger's first run, by hand and by script."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from tests.e2e.conftest import TypeIn
from tests.greenlight.terminal.pty_terminal import Terminal
from tests.support.stack import QUESTION, Undisturbed, Whole
from tests.support.words import en, phrase

_DAY = re.compile(r"(?<=^\*)\d{4}-\d\d-\d\d", re.MULTILINE)
"""The day of a report: the tests may pass midnight."""


@pytest.mark.full
@pytest.mark.usefixtures("type_in")  # of its home
async def test_a_run_by_hand(whole: Whole) -> None:
    somebody = ("--user", "somebody")  # whose startups nobody else has kept
    at = await asyncio.to_thread(Terminal, "run", QUESTION, *somebody)
    try:
        await asyncio.to_thread(at.expect, "ANTHROPIC_API_KEY")
        await asyncio.to_thread(by_hand, at)
    finally:
        at.close()
    searched = await whole.providers.asked("search")
    assert searched, "the report rests on what was searched after the approval"


def by_hand(at: Terminal, told: str = "Irrigated land") -> None:
    at.expect(phrase("cli-how-to-answer"))
    count = next(n for n in range(9) if en("cli-questions-before", n=n) in at.seen)
    for number in range(1, count + 1):
        at.expect(f"{number}/{count}")
        at.expect("›")
        at.type("")
    at.expect("at most $")
    at.expect(en("cli-does-approve"))
    at.type("a")
    at.expect("✓ Research")
    at.expect("✓ Write")
    at.expect(told)
    at.expect("Sources")
    at.expect("the plan said")
    assert at.exit_code() == 0


async def test_a_run_by_script_and_again_by_watch(
    whole: Whole, tmp_path: Path, type_in: TypeIn
) -> None:
    named = ("--definition", "deep_research")
    code, out, err = await whole.command("run", QUESTION, *named, "--yes", "--out", str(tmp_path))
    assert code == 0, err
    assert out.startswith("# ")
    assert out.rstrip("\n") == (tmp_path / "report.md").read_text("utf-8").rstrip("\n")
    state = json.loads((tmp_path / "state.json").read_bytes())
    assert len(json.loads((tmp_path / "sources.json").read_bytes())) == state["results"]["sources"]
    again = await type_in("watch", state["run_id"])
    assert (again.code, again.out) == (0, out)


async def test_a_run_is_held_guided_and_ended_by_the_beginning_of_its_id(
    whole: Whole, type_in: TypeIn
) -> None:
    run = await whole.planned()
    short = run.id.removeprefix("run-")[:8]
    for words, told in (
        (("pause", short), "resume"),
        (("resume", "last"), "it waits for your word"),
        (("steer", short, "Leave energy out", "--by", "ada"), "Told"),
    ):
        said = await type_in(*words)
        assert (said.code, said.err) == (0, "")
        assert told in said.out
        state = await run.state()
        assert (state.status == "paused") == (words[0] == "pause")
    assert (await type_in("cancel", short)).code == 0
    assert (await run.ended()).status == "cancelled"
    heard = [event.payload for event in await run.events("HumanResponseEvent")]
    guided = {"steer": "Leave energy out", "by": "ada"}
    assert any(guided.items() <= each.items() for each in heard)


@pytest.mark.full
async def test_parts_and_settings_of_a_definition_are_chosen_by_name(
    whole: Whole, type_in: TypeIn
) -> None:
    until = ("--until", "planning", "--set", "planning.max_plan_steps=2", "--fresh", "--yes")
    said = await type_in("run", QUESTION, *until)
    assert said.code == 0, said.err
    [newest, *_] = (await whole.http.get("/v1/runs")).json()["items"]
    first = await whole.run(newest["run_id"]).state()
    assert first.plan
    assert [phase.status for phase in first.phases if phase.id == "research"] == ["skipped"]
    assert len(first.plan.steps) <= 2
    said = await type_in("run", "--from-run", "last", "--only", "recall,planing")
    assert (said.code, said.err) == (
        2,
        "greenlight: --only: there is no phase “planing”; did you mean “planning”?\n",
    )
    said = await type_in("run", QUESTION, "--set", "planning.max_steps=2")
    assert (said.code, said.err) == (
        2,
        "greenlight: --set planning.max_steps: no such field; did you mean “max_plan_steps”?\n",
    )


async def test_a_run_goes_on_from_another_without_its_question(
    whole: Whole, undisturbed: Undisturbed, type_in: TypeIn
) -> None:
    before = undisturbed.run.id

    async def children() -> set[str]:
        return set((await whole.http.get(f"/v1/runs/{before}")).json()["children"])

    earlier = await children()
    said = await type_in("run", "--from-run", before, "--redo", "summary", "--yes")
    assert said.code == 0, said.err
    same = [_DAY.sub("", report).rstrip("\n") for report in (said.out, undisturbed.report)]
    assert same[0] == same[1]
    [child] = await children() - earlier
    assert (await whole.run(child).state()).query == undisturbed.state.query


async def test_sources_and_definitions_are_listed(
    whole: Whole, undisturbed: Undisturbed, type_in: TypeIn
) -> None:
    said = await type_in("sources", undisturbed.run.id, "--json")
    assert said.code == 0
    assert len(json.loads(said.out)) == undisturbed.state.results.sources
    assert "max_sources=" in (await type_in("definitions", "deep_research")).out
    kept = {"name": "Pumps", "description": "Solar pumps", "user_id": "ada"}
    startup = (await whole.http.post("/v1/startups", json=kept)).json()["id"]
    assert "Solar pumps" in (await type_in("startups", "--user", "ada")).out
    assert (await type_in("startups", "--delete", startup)).code == 0
    assert (await type_in("startups", "--user", "ada")).out == "nothing yet\n"


@pytest.mark.full
async def test_what_was_spent_is_listed_with_its_sum(
    undisturbed: Undisturbed, type_in: TypeIn
) -> None:
    said = await type_in("spend", "--json")
    assert said.code == 0
    of = undisturbed.state.definition_id
    [row] = [row for row in json.loads(said.out) if row["definition_id"] == of]
    assert row["usd"] >= undisturbed.state.usage.usd > 0
    *_, total = (await type_in("spend")).out.splitlines()
    assert total.split() == ["all", "0.0000"]
    refused = await type_in("spend", "--since", "yesterday")
    assert refused.code == 2
    assert "since" in refused.err
