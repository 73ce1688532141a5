"""The terminal on the real stack: a stranger's first run, by hand and by script."""

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest

from tests.documents import BLOCKS
from tests.greenlight.terminal.pty_terminal import ROOT, Terminal
from tests.stack import CREW, QUESTION, Undisturbed, Whole

PROGRAM = "from greenlight import cli; cli.main()"


@pytest.fixture(autouse=True)
def _home(whole: Whole, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREENLIGHT_HOME", whole.stack.addresses.home)


@pytest.mark.full
async def test_a_run_by_hand(whole: Whole) -> None:
    at = await asyncio.to_thread(Terminal, "run", QUESTION)
    try:
        await asyncio.to_thread(by_hand, at)
    finally:
        at.close()
    searched = await whole.providers.asked("search")
    assert searched, "the report rests on what was searched after the approval"


def by_hand(at: Terminal) -> None:
    at.expect("ANTHROPIC_API_KEY")
    at.expect(" questions before the plan")
    count = int(at.seen.split(" questions before the plan")[0][-1])
    for number in range(1, count + 1):
        at.expect(f"{number}/{count}")
        at.expect("›")
        at.type("")
    at.expect("at most $")
    at.expect("start the work")
    at.type("a")
    at.expect("✓ Research")
    at.expect("✓ Write")
    at.expect("Irrigated land")
    at.expect("Sources")
    at.expect("the plan said")
    assert at.exit_code() == 0
    [sample] = (block for block in BLOCKS if str(block) == "README.md, Two commands, output")
    printed = plain(at.seen)
    assert [line for line in sample.text.splitlines() if plain(line) not in printed] == []


def plain(text: str) -> str:
    """Return a text without what differs from run to run: its spacing, its seconds and dollars."""
    return " ".join(re.sub(r"[\d.]+(?= s\b)|(?<=\$)[\d.]+", "0", text).split())


async def test_a_run_by_script_and_again_by_watch(whole: Whole, tmp_path: Path) -> None:
    """Of the other definition that is offered first."""
    of_crew = ("--definition", CREW)
    code, out, err = await command("run", QUESTION, *of_crew, "--yes", "--out", str(tmp_path))
    assert code == 0, err
    assert out.startswith("# ")
    assert out.rstrip("\n") == (tmp_path / "report.md").read_text("utf-8").rstrip("\n")
    state = json.loads((tmp_path / "state.json").read_bytes())
    assert len(json.loads((tmp_path / "sources.json").read_bytes())) == state["results"]["sources"]
    again = await command("watch", state["run_id"])
    assert again[:2] == (0, out)


async def test_a_run_is_held_guided_and_ended_by_the_beginning_of_its_id(whole: Whole) -> None:
    run = await whole.planned()
    short = run.id.removeprefix("run-")[:8]
    for words, told in (
        (("pause", short), "resume"),
        (("resume", "last"), "Resumed."),
        (("steer", short, "Leave energy out", "--by", "ada"), "Told"),
    ):
        code, out, err = await command(*words)
        assert (code, err) == (0, "")
        assert told in out
        state = await run.state()
        assert (state.status == "paused") == (words[0] == "pause")
    assert (await command("cancel", short))[0] == 0
    assert (await run.ended()).status == "cancelled"
    said = [event.payload for event in await run.events("HumanResponseEvent")]
    guided = {"steer": "Leave energy out", "by": "ada"}
    assert any(guided.items() <= each.items() for each in said)


async def test_parts_and_settings_of_a_definition_are_chosen_by_name(whole: Whole) -> None:
    until = ("--until", "planning", "--set", "planning.max_plan_steps=2", "--fresh", "--yes")
    code, _, err = await command("run", QUESTION, *until)
    assert code == 0, err
    [newest, *_] = (await whole.http.get("/v1/runs")).json()["items"]
    first = await whole.run(newest["run_id"]).state()
    assert isinstance(first.plan, dict)
    assert [phase.status for phase in first.phases if phase.id == "research"] == ["skipped"]
    assert len(first.plan["steps"]) <= 2  # type: ignore[arg-type]
    code, _, err = await command("run", "--from-run", "last", "--only", "recall,planing")
    assert (code, err) == (
        2,
        "greenlight: --only: there is no phase 'planing'; did you mean 'planning'?\n",
    )
    code, _, err = await command("run", QUESTION, "--set", "planning.max_steps=2")
    assert (code, err) == (
        2,
        "greenlight: --set planning.max_steps: no such field; did you mean 'max_plan_steps'?\n",
    )


async def test_a_run_goes_on_from_another_without_its_question(
    whole: Whole, undisturbed: Undisturbed
) -> None:
    before = undisturbed.run.id

    async def children() -> set[str]:
        return set((await whole.http.get(f"/v1/runs/{before}")).json()["children"])

    earlier = await children()
    code, out, err = await command("run", "--from-run", before, "--redo", "summary", "--yes")
    assert code == 0, err
    assert out.rstrip("\n") == undisturbed.report.rstrip("\n")
    [child] = await children() - earlier
    assert (await whole.run(child).state()).query == undisturbed.state.query


async def test_sources_and_definitions_are_listed(whole: Whole, undisturbed: Undisturbed) -> None:
    code, out, _ = await command("sources", undisturbed.run.id, "--json")
    assert code == 0
    assert len(json.loads(out)) == undisturbed.state.results["sources"]
    assert "max_sources=" in (await command("definitions", "deep_research"))[1]
    kept = {"name": "Pumps", "description": "Solar pumps", "user_id": "ada"}
    startup = (await whole.http.post("/v1/startups", json=kept)).json()["id"]
    assert "Solar pumps" in (await command("startups", "--user", "ada"))[1]
    assert (await command("startups", "--delete", startup))[0] == 0
    assert (await command("startups", "--user", "ada"))[1] == "nothing yet\n"


async def test_what_was_spent_is_listed_with_its_sum(
    whole: Whole, undisturbed: Undisturbed
) -> None:
    code, out, _ = await command("spend", "--json")
    assert code == 0
    [row] = [
        row for row in json.loads(out) if row["definition_id"] == undisturbed.state.definition_id
    ]
    assert row["usd"] >= undisturbed.state.usage.usd > 0
    *_, total = (await command("spend"))[1].splitlines()
    assert total.split() == ["all", "0.0000"]
    code, _, err = await command("spend", "--since", "yesterday")
    assert code == 2
    assert "since" in err


async def command(*words: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()
