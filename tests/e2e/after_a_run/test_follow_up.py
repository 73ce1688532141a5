"""A question on a finished report: additions are searched, quoted and reported, and the rest is unchanged."""

import re

from contracts.words import say
from tests.support.stack import Run, Undisturbed, Whole


def read_sections(report: str) -> dict[str, str]:
    """Return the text below each heading, without the numbers of notes."""
    _, *parts = re.split(r"^## (.+)$", re.sub(r" \[[\d, –]+\]", "", report), flags=re.MULTILINE)
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


async def test_a_follow_up_adds_what_it_asks_for_to_the_report(
    whole: Whole, undisturbed: Undisturbed
) -> None:
    parent, parent_plan = Run(whole.http, undisturbed.run.id), undisturbed.shown.plan
    run = whole.run((await parent.post("/follow-up", {"query": "And Uganda?"})).json()["run_id"])
    plan = (await run.approve()).plan
    assert plan
    assert parent_plan
    [asked] = plan.search_terms
    assert "Uganda" in asked
    assert plan.outline[:-1] == parent_plan.outline
    await run.completed()
    report = await run.report()
    assert report.startswith(f"# {plan.title}\n")
    told, before = read_sections(report), read_sections(undisturbed.report)
    assert re.search(r"Uganda: \d", told[plan.outline[-1]])
    assert [told[name] for name in parent_plan.outline] == [before[n] for n in parent_plan.outline]
    assert (
        "“Irrigated land, Uganda: 105 sq km (2013)” — Uganda: Geography"
        in told[say("en", "evidence")]
    )
    assert say("en", "not-found") not in told
