"""A user's own documents are read at once, or refused with their name and the allowed formats."""

import asyncio
import io
from collections import Counter
from typing import Any

import httpx
import pytest
from docx import Document

from api.body_limits import BYTES, MAX_UPLOAD_BYTES
from api.routers import files
from contracts.evidence.sources import MAX_FILES, OwnFile
from contracts.media_types import SUFFIXES
from tests.activities.web.files import OLE, packed, pdf
from tests.api.conftest import Site
from tests.support.words import en, opening, phrase


async def upload(http: httpx.AsyncClient, name: str, body: bytes | str) -> httpx.Response:
    """Return the answer to an upload, also for errors."""
    content = body.encode() if isinstance(body, str) else body
    headers = {"Content-Type": BYTES}
    return await http.post("/v1/files", params={"name": name}, content=content, headers=headers)


async def given(site: Site, text: str) -> str:
    """Return the id of an uploaded file; each is called the same."""
    answer = await upload(site.http, "pumps.md", text)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


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
        ("report.zip", word_document("Pumps sell.")),
        ("report.txt", pdf("Pumps sell")),
        ("budget.xlsx", "Item\tPrice\nPump\t12\nPipe\t3\n"),
        ("notes", "Pumps sell."),
    ],
)
async def test_files_of_each_kind_are_read_at_once(
    site: Site, name: str, body: bytes | str
) -> None:
    first, again = await upload(site.http, name, body), await upload(site.http, name, body)
    assert first.status_code == 201, first.text
    assert first.json() == again.json()
    assert first.json()["name"] == name.rpartition("\\")[2]
    assert first.json()["chars"] > 0


@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        (
            "old.doc",
            OLE + "WordDocument".encode("utf-16-le"),
            opening("failure.save_as", "kind", kind=en("failure.kind.old_word")),
        ),
        ("all.zip", packed("a.txt", b"Pumps sell."), en("failure.archive", name="zip")),
        ("empty.md", "", en("failure.no_text")),
        (
            "broken.pdf",
            "%PDF-1.7 broken",
            opening("failure.broken", "format", format=en("failure.format.pdf")),
        ),
        ("picture.txt", b"\x89PNG\r\n", en("failure.picture", name="PNG")),
        (
            "zip.docx",
            b"PK\x03\x04 word/document.xml",
            opening("failure.broken", "format", format=en("failure.format.word")),
        ),
    ],
)
async def test_a_file_that_cannot_be_read_is_refused_by_name_and_with_what_is_allowed(
    site: Site, name: str, body: bytes | str, reason: str
) -> None:
    refused = await upload(site.http, name, body)
    assert refused.status_code == 422
    [problem] = refused.json()["problems"]
    assert problem["path"] == "name"
    assert problem["message"].startswith(f"“{name}” {reason}")
    assert problem["code"] == "file-unreadable"
    assert (problem["params"]["allowed"], problem["params"]["most"]) == ([*SUFFIXES], 20)


async def test_what_is_too_large_or_no_file_is_refused(site: Site) -> None:
    large = await upload(site.http, "large.txt", b"x" * (MAX_UPLOAD_BYTES + 1))
    assert (large.status_code, large.json()["type"]) == (413, "body-too-large")
    typed = await site.http.post("/v1/files", params={"name": "a.md"}, json={"a": 1})
    assert typed.status_code == 415
    assert BYTES in typed.json()["detail"]


async def test_a_start_names_each_file_that_it_cannot_have(site: Site) -> None:
    one, same = await given(site, "Pumps sell."), await given(site, "Pumps do not sell.")

    async def ask(*files: str, definition: str = "deep_research") -> httpx.Response:
        body = {"query": "Where to sell pumps?", "files": files}
        return await site.post(f"/v1/workflows/{definition}/run", body)

    assert (await ask(one, "file-unknown")).json()["problems"][0]["path"] == "files[1]"
    assert phrase("files-same-name") in (await ask(one, same)).json()["detail"]
    [many] = (await ask(*[one] * (MAX_FILES + 1))).json()["problems"]
    assert (many["path"], str(MAX_FILES) in many["message"]) == ("files", True)
    unread = await ask(one, definition="one_shot")
    assert phrase("documents-unread-by-run") in unread.json()["detail"]


async def test_refused_upload_leaves_no_blob(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither beyond the quota of files or bytes, nor where the last check alone refuses it."""
    before = {path for path in site.folder.rglob("*") if path.is_file()}
    for quota in ("MAX_KEPT", "MAX_KEPT_BYTES"):
        with monkeypatch.context() as small:
            small.setattr(f"store.files.{quota}", 0)
            refused = await upload(site.http, "over.md", f"Over the {quota}.")
            assert refused.status_code == 409, refused.text
            assert opening("files-many", "n", n=0) in refused.json()["detail"]
            small.setattr("store.files.CHECK", "SELECT NULL WHERE %(id)s <> ''")
            refused = await upload(site.http, "over.md", f"Over the {quota}.")
            assert refused.status_code == 409, refused.text
    assert {path for path in site.folder.rglob("*") if path.is_file()} == before


async def test_uploads_of_a_user_at_once_are_bounded(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two uploads are read concurrently, eight wait, and all others are refused until later."""
    reading, most = 0, 0
    keep, refused_all = files._keep_file, asyncio.Event()

    async def counted(*given: Any) -> OwnFile:
        nonlocal reading, most
        reading += 1
        most = max(most, reading)
        await refused_all.wait()
        try:
            return await keep(*given)
        finally:
            reading -= 1

    monkeypatch.setattr(files, "_keep_file", counted)
    many = [
        asyncio.create_task(upload(site.http, f"n{n}.md", f"Pumps sell {n}.")) for n in range(20)
    ]
    answered = asyncio.as_completed(many, timeout=60)
    for _ in range(10):
        assert (await next(answered)).status_code == 429
    refused_all.set()
    answers = await asyncio.gather(*many)
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses == {201: 10, 429: 10}
    assert most == 2
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert int(refused.headers["retry-after"]) > 0
    assert refused.json()["type"] == "too-many-requests"
    assert (await upload(site.http, "later.md", "Pumps sell later.")).status_code == 201


async def test_an_upload_says_what_of_it_could_not_be_read(site: Site) -> None:
    answer = await upload(site.http, "pumps.txt", "Pumps sell \ufffd well. " * 3)
    assert answer.status_code == 201, answer.text
    [part] = answer.json()["unread"]
    assert (part["code"], part["count"]) == ("characters_broken", 3)
    assert (await upload(site.http, "pumps.txt", "Pumps sell.")).json()["unread"] == []
