"""A user's own documents: read at once, searched by the run they are given to, and gone with it."""

import re
from pathlib import Path

import psycopg
import pytest

from tests.api.documents.test_files import upload
from tests.support.databases import as_owner
from tests.support.stack import QUESTION, Run, Whole
from tests.support.words import en

ANSWER = f"## {en('answer')}\n"
WORD = "zorblaxine"
PUMPS = (
    "# Field notes\n\nOn pumps in Kenya.\n\n"
    f"The {WORD} solar irrigation pumps of Kenya serve 4,711 farms (2024).\n"
)
NAME = "Kenya & Co <b>.md"
FILES = 9


async def given(whole: Whole, text: str = PUMPS) -> str:
    """Return the id of an uploaded file."""
    answer = await upload(whole.http, NAME, text)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def count_blobs(whole: Whole, file_id: str) -> int:
    """Return how many blobs of a file are kept."""
    folder = Path(whole.stack.addresses.home) / "blobs" / "default" / file_id
    return len(list(folder.iterdir())) if folder.exists() else 0


@pytest.fixture
async def run(whole: Whole) -> Run:
    """A run that was given a file."""
    file_id = await given(whole)
    return await whole.start(QUESTION, files=[file_id])


async def test_a_run_searches_the_files_it_was_given_and_cites_them_by_name(
    whole: Whole, run: Run
) -> None:
    state = await run.finish()
    assert state.files == [NAME]
    sources = (await run.get("/sources")).json()["items"]
    own = next(s for s in sources if s["url"].startswith("file:///"))
    assert (own["title"], own["publisher"]) == ("Field notes", NAME)
    report = await run.report()
    assert "4,711 farms" in report
    assert "— Field notes\n" in report
    assert "artifacts/source" not in report
    page = (await run.get("/report", format="html")).text
    assert f'<a href="artifacts/source-{own["n"]}">Field notes</a>' in page
    assert own["kept"] == f"/v1/runs/{run.id}/artifacts/source-{own['n']}"
    kept = await run.get(f"/artifacts/source-{own['n']}")
    assert (kept.text, kept.headers["content-type"]) == (PUMPS, "text/plain; charset=utf-8")


@pytest.mark.full
async def test_a_row_of_a_file_answers_before_the_library_does(whole: Whole) -> None:
    table = "| Plan | Price | Seats |\n| --- | --- | --- |\n| Team | EUR 99 | 10 |\n"
    asked = {"definition": "web_answer", "files": [await given(whole, table)]}
    run = await whole.start("What does the Team plan cost?", **asked)
    await run.completed()
    answer = (await run.report()).partition(ANSWER)[2].partition("## ")[0]
    assert re.match(r".*Team; Price: EUR 99; Seats: 10\. \[1, 2\]", answer.strip())


@pytest.mark.full
async def test_what_stands_below_a_heading_of_a_file_answers(whole: Whole) -> None:
    text = "# Churn\n\n11.4 % in 2025, up from 8.9 % in 2024.\n"
    asked = {"definition": "web_answer", "files": [await given(whole, text)]}
    run = await whole.start("How has our customer churn changed?", **asked)
    await run.completed()
    report = await run.report()
    answer = report.partition(ANSWER)[2].partition("## ")[0]
    told = "Churn: 11.4 % in 2025, up from 8.9 % in 2024. [1, 2]"
    assert answer.strip().startswith(told)
    assert en("not-found") not in report


async def test_nothing_of_a_file_is_read_before_the_approval(whole: Whole, run: Run) -> None:
    await run.answer()
    shown = await run.asks("decision")
    assert WORD not in str(shown)
    assert not (await run.get("/sources")).json()["items"]


async def test_a_file_goes_with_the_last_run_that_needs_it(whole: Whole) -> None:
    file_id = await given(whole, text=f"{PUMPS}\nOf this test alone.\n")
    run = await whole.start(QUESTION, files=[file_id])
    await run.finish()
    child = await whole.start(QUESTION, from_run=run.id, redo=["summary"])
    state = await child.completed()
    assert state.files == [NAME]
    assert (await whole.http.delete(f"/v1/runs/{run.id}")).is_success
    whole.runs.remove(run)
    assert await count_blobs(whole, file_id) == 2
    assert (await whole.http.delete(f"/v1/runs/{child.id}")).is_success
    whole.runs.remove(child)
    assert await count_blobs(whole, file_id) == 0
    at = as_owner(whole.stack.addresses.database)
    async with await psycopg.AsyncConnection.connect(at) as connection:
        cursor = await connection.execute("SELECT count(*) FROM files WHERE id = %s", [file_id])
        assert await cursor.fetchone() == (0,)


@pytest.mark.full
async def test_a_report_names_the_files_that_nobody_opened(whole: Whole) -> None:
    """A run is given more files than its agents may open."""
    given_ids = [await given(whole)]
    for n in range(FILES):
        answer = await upload(whole.http, f"recipe {n}.txt", f"Take {n} eggs and a cup of flour.\n")
        given_ids.append(answer.json()["id"])
    run = await whole.start(QUESTION, files=given_ids)
    state = await run.finish()
    opened = {source["publisher"] for source in (await run.get("/sources")).json()["items"]}
    unopened = [name for name in state.files if name not in opened]
    assert state.unopened == unopened
    assert NAME in opened
    counts = {"n": len(unopened), "of": FILES + 1}
    told = [notice.params for notice in state.notices if notice.code == "files-unopened"]
    assert told == [{**counts, "names": unopened}]
    assert unopened[-1] in (await run.report()).partition("**Question:**")[0]
