"""The same question again is answered from the first run's report, and says so."""

import pytest

from contracts.base import Json
from tests.support.stack import Run, Whole
from tests.support.words import opening, phrase

ASKED = "How much irrigated land does Kenya have?"
REWORDED = "how much irrigated land does kenya have"


async def list_sources(run: Run) -> list[Json]:
    """Return a run's sources without the addresses of the run's own copies."""
    items = (await run.get("/sources")).json()["items"]
    for item in items:  # the pages of the sample are kept by the run that shows them
        assert (
            item.pop("snapshot")
            == item.pop("kept")
            == f"/v1/runs/{run.id}/sources/{item['n']}/snapshot"
        )
    return list(items)


@pytest.mark.full
async def test_the_same_question_is_answered_without_a_call(whole: Whole) -> None:
    web = {"definition": "web_answer", "user_id": "again"}
    first = await whole.start(ASKED, **web)
    finished = (await first.completed()).ended_at or ""
    asked = len(await whole.providers.asked())

    again = await whole.start(REWORDED, fresh=False, **web)
    await again.completed()
    assert len(await whole.providers.asked()) == asked, "no model, no search, no page"
    assert not await whole.ledger(again)
    title, _, _, label, *rest = (await again.report()).split("\n\n")  # question and price differ
    assert opening("report-reused", "day", run=first.id, day=finished[:10]) in label
    same, _, _, *others = (await first.report()).split("\n\n")
    assert [title, *rest] == [same, *others]
    assert await list_sources(again) == await list_sources(first)

    for query, who, fresh in (
        (ASKED.replace("Kenya", "Ethiopia"), "again", False),
        (ASKED, "another", False),
        (ASKED, "again", True),
    ):
        other = await whole.start(query, definition="web_answer", user_id=who, fresh=fresh)
        await other.completed()
        assert await whole.ledger(other), (query, who, fresh)
        assert phrase("report-reused") not in await other.report()
