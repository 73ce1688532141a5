"""A question on a finished report: what it adds is searched, quoted and told, and the rest stays."""

import re

from contracts.words import say
from tests.stack import Run, Undisturbed, Whole

TABLE_HEAD = "|  | Kenya | Ethiopia | Tanzania | Uganda |"


def read_sections(report: str) -> dict[str, str]:
    """Return the text below each heading, without the numbers of notes."""
    _, *parts = re.split(r"^## (.+)$", re.sub(r" \[\d+\]", "", report), flags=re.MULTILINE)
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


async def test_a_follow_up_adds_what_it_asks_for_to_the_report(
    whole: Whole, undisturbed: Undisturbed
) -> None:
    parent = Run(whole.http, undisturbed.run.id)
    run = whole.run((await parent.post("/follow-up", {"query": "And Uganda?"})).json()["run_id"])
    plan = (await run.approve()).plan
    assert plan
    assert plan.title == "Solar irrigation pumps: Kenya, Ethiopia, Tanzania and Uganda"
    assert plan.search_terms == ["Uganda solar irrigation pumps"]
    await run.completed()
    report = await run.report()
    assert report.startswith(f"# {plan.title}\n")
    [_, _, *rows] = report[report.index(TABLE_HEAD) :].partition("\n\n")[0].splitlines()
    assert len(rows) >= 2
    assert all(re.search(r"\d.* \[\d+\] \|$", row) for row in rows), "Uganda's column has figures"
    told, before = read_sections(report), read_sections(undisturbed.report)
    assert re.search(r"Uganda: \d", told["Uganda"])
    assert any("105 sq km (2013)" in row for row in rows), (
        "what the table tells, no section repeats"
    )
    assert [told[name] for name in plan.outline[:3]] == [before[name] for name in plan.outline[:3]]
    assert "“Irrigated land, Uganda: 105 sq km (2013)” — Uganda: Geography" in told["Evidence"]
    assert say("en", "not-found") not in told
    said = (await run.get("/phases/summary")).json()["output"]["summary"]["text"]
    assert all(f", {name}: " in said for name in plan.outline[:4]), said
