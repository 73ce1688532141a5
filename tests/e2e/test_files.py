"""A user's own documents: read at once, searched by the run they are given to, and gone with it."""

import io
from pathlib import Path

import httpx
import psycopg
import pytest
from docx import Document

from tests.stack import QUESTION, Run, Whole

WORD = "zorblaxine"
PUMPS = (
    "# Field notes\n\nOn pumps in Kenya.\n\n"
    f"The {WORD} solar irrigation pumps of Kenya serve 4,711 farms (2024).\n"
)
NAME = "Kenya & Co <b>.md"


async def upload(whole: Whole, name: str, body: bytes | str) -> httpx.Response:
    """Return the answer to an upload, whatever it is."""
    content = body.encode() if isinstance(body, str) else body
    headers = {"Content-Type": "application/octet-stream"}
    return await whole.http.post(
        "/v1/files", params={"name": name}, content=content, headers=headers
    )


async def given(whole: Whole, name: str = NAME, text: str = PUMPS) -> str:
    """Return the id of an uploaded file."""
    answer = await upload(whole, name, text)
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
    assert f"[Field notes](<artifacts/source-{own['n']}>)" in report
    kept = await run.get(f"/artifacts/source-{own['n']}")
    assert (kept.text, kept.headers["content-type"]) == (PUMPS, "text/plain; charset=utf-8")


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
    at = whole.stack.addresses.database
    async with await psycopg.AsyncConnection.connect(at) as connection:
        cursor = await connection.execute("SELECT count(*) FROM files WHERE id = %s", [file_id])
        assert await cursor.fetchone() == (0,)


def word_document(text: str) -> bytes:
    """Return a Word document."""
    document, file = Document(), io.BytesIO()
    document.add_paragraph(text)
    document.save(file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("notes.TXT", "Pumps sell."),
        ("页.md", "# 泵\n\n销售"),
        ("page.html", f"<html><body><p>{'Pumps sell well in Kenya. ' * 9}</p></body></html>"),
        ("C:\\files\\report.docx", word_document("Pumps sell.")),
    ],
)
async def test_files_of_each_kind_are_read_at_once(
    whole: Whole, name: str, body: bytes | str
) -> None:
    first, again = await upload(whole, name, body), await upload(whole, name, body)
    assert first.status_code == 201, first.text
    assert first.json() == again.json()
    assert first.json()["name"] == name.rpartition("\\")[2]
    assert first.json()["chars"] > 0


@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        ("budget.xlsx", "x", "is of a kind that cannot be read"),
        ("budget", "x", "is of a kind that cannot be read"),
        ("empty.md", "", "has no readable text"),
        ("broken.pdf", "%PDF-1.7 broken", "is a broken PDF"),
        ("picture.txt", b"\x89PNG\r\n", "is a binary file under a text label"),
        ("zip.docx", b"PK\x03\x04 no document", "is a broken Word document"),
    ],
)
async def test_a_file_that_cannot_be_read_is_refused_by_name_and_with_what_is_allowed(
    whole: Whole, name: str, body: bytes | str, reason: str
) -> None:
    refused = await upload(whole, name, body)
    assert refused.status_code == 422
    [problem] = refused.json()["problems"]
    assert problem["path"] == "name"
    assert problem["message"].startswith(f"'{name}' {reason}")
    assert ".md, .txt, .html, .htm, .pdf, .docx, with text in it, up to 20 MB" in problem["message"]


async def test_what_is_too_large_or_no_file_is_refused(whole: Whole) -> None:
    large = await upload(whole, "large.txt", b"x" * 20_000_001)
    assert (large.status_code, large.json()["type"]) == (413, "body-too-large")
    typed = await whole.http.post("/v1/files", params={"name": "a.md"}, json={"a": 1})
    assert typed.status_code == 415
    assert "application/octet-stream" in typed.json()["detail"]


async def test_a_start_names_each_file_that_it_cannot_have(whole: Whole) -> None:
    one, same = await given(whole), await given(whole, text="# Another\n\nOf the same name.")
    unknown = await whole.ask(files=[one, "file-unknown"])
    assert unknown.json()["problems"][0]["path"] == "files[1]"
    twice = await whole.ask(files=[one, same])
    assert "two are called" in twice.json()["detail"]
    many = await whole.ask(files=[one] * 11)
    assert many.status_code == 422
    unread = await whole.ask(files=[one], definition="one_shot")
    assert "no phase of this run searches" in unread.json()["detail"]
