"""Results of a run over HTTP."""

import asyncio
import io
import re

import docx
import httpx
import pytest
from pypdf import PdfReader

from api.access.rate_limits import Slots
from api.reports.html import render_page
from api.reports.markdown_folder import MAX_FOLDER_BYTES
from contracts.media_types import DOCX, PDF
from contracts.notices import Notice
from contracts.phases.validation import CheckedSource, Validation
from contracts.report.document import Document, Paragraph, Quote, Sentence
from contracts.report.report import Report
from domain.report.formats.markdown import write_markdown
from store.postgres.pool import Pool
from store.run_records.runs import RunRepository
from tests.api.conftest import PAGE, Site
from tests.api.reports.test_markdown_folder import draw, read_folder
from tests.api.test_validation_errors import told
from tests.store.samples import artifact, batch, opened, phase, source, started
from tests.support.databases import fetch_as_owner
from tests.support.words import en


@pytest.fixture(scope="module")
async def run(site: Site) -> str:
    return await site.complete()


async def test_the_report_is_markdown_and_a_page(site: Site, run: str) -> None:
    markdown = await site.get(f"{run}/report")
    assert markdown.headers["content-type"].startswith("text/markdown")
    assert markdown.text.startswith("# Pumps\n")
    html = await site.get(f"{run}/report", format="html")
    assert html.headers["content-type"].startswith("text/html")
    assert "<h1>Pumps</h1>" in html.text
    assert '<a href="#note_1" data-note="“Pumps sell.” — ' in html.text
    assert '<li id="note_1">' in html.text
    policy = html.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    refused = told(await site.get(f"{run}/report", format="exe"), 422, "invalid-input")
    (problem,) = refused["problems"]
    assert problem["path"] == "format"
    assert {"md", "html", "pdf", "docx"} <= {*problem["params"]["allowed"]}


async def test_a_phase_s_own_report_is_asked_for_by_its_id(site: Site, run: str) -> None:
    whole = Report.model_validate((await site.get(f"{run}/report", format="json")).json())
    assert whole.markdown == (await site.get(f"{run}/report")).text
    own = await site.get(f"{run}/report", phase="synthesis")
    assert own.text == whole.markdown
    refused = told(await site.get(f"{run}/report", phase="planning"), 404, "not-found")
    assert refused["problems"][0]["params"]["phase"] == "planning"
    told(await site.get(f"{run}/report", phase="synthesis", at=1), 404, "not-found")


async def test_a_definition_names_the_phase_whose_report_counts(site: Site) -> None:
    phases = [{"kind": "one_shot", "id": "first"}, {"kind": "one_shot", "id": "second"}]
    path = "/v1/workflows"
    body = {"id": "twice", "phases": phases, "report_phase": "third"}
    refused = told(await site.post(path, body), 422, "invalid-definition")
    [problem] = refused["problems"]
    assert problem["path"] == "report_phase"
    assert problem["params"]["able"] == ["first", "second"]
    made = await site.post(path, body | {"report_phase": "first"})
    assert made.json()["report_phase"] == "first"
    assert (await site.get(f"{path}/twice/export")).json()["report_phase"] == "first"
    run = await site.start("twice", config_overrides={"second": {"enabled": False}})
    await site.follow(run, 0)
    assert (await site.get(f"{run}/report")).status_code == 200
    await site.http.delete(f"{path}/twice")


async def test_ideas_are_the_report_of_a_run_that_has_no_other(site: Site) -> None:
    run = await site.start("idea_generation")
    state = await site.until(run, "checkpoint")
    [choice, *_] = state["pending"][0]["options"]
    decision = {"action": "approve", "choice": choice}
    assert (await site.post(f"{run}/decision", decision)).status_code == 202
    await site.follow(run, 0)
    report = (await site.get(f"{run}/report")).text
    assert report.startswith("# Where to sell pumps?")
    assert en("idea-chosen", title=choice) in report


@pytest.mark.full
async def test_report_downloads_as_a_file(site: Site, run: str) -> None:
    pdf = await site.get(f"{run}/report", format="pdf")
    assert pdf.headers["content-type"] == "application/pdf"
    assert pdf.headers["content-disposition"].endswith("filename*=UTF-8''Pumps.pdf")
    assert "Pumps" in PdfReader(io.BytesIO(pdf.content)).pages[0].extract_text()
    word = await site.get(f"{run}/report", format="docx")
    assert word.headers["content-type"].endswith("wordprocessingml.document")
    assert docx.Document(io.BytesIO(word.content)).paragraphs[0].text == "Pumps"
    for answer in (pdf, word):
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_page_runs_and_loads_nothing() -> None:
    html = render_page(Document(title="<b>"))
    policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    assert policy in html.partition("<body>")[0]  # for a copy opened from a disk
    assert "<title>&lt;b&gt;</title>" in html


async def test_json_is_the_report_with_its_document(site: Site, run: str) -> None:
    whole = Report.model_validate((await site.get(f"{run}/report", format="json")).json())
    assert whole.document
    assert whole.document.title == whole.title
    assert whole.markdown == write_markdown(whole.document)
    [quote] = [note for note in whole.document.notes if isinstance(note, Quote)]
    assert (quote.source, quote.text) == (1, "Pumps sell.")


async def test_sources_are_numbered_and_stored(site: Site, run: str) -> None:
    sources = (await site.get(f"{run}/sources")).json()["items"]
    assert [s["url"] for s in sources] == ["https://example.org/0"]
    assert [s["n"] for s in sources] == [1]
    assert (await site.get(sources[0]["snapshot"])).text == PAGE
    assert (await site.get(f"{run}/artifacts/{sources[0]['file_id']}")).status_code == 200
    snapshot = await site.get(f"{run}/sources/1/snapshot")
    assert snapshot.text == PAGE
    assert snapshot.headers["content-type"].startswith("text/plain")
    assert snapshot.headers["content-security-policy"] == "sandbox"
    assert snapshot.headers["x-content-type-options"] == "nosniff"
    told(await site.get(f"{run}/sources/2/snapshot"), 404, "not-found")
    told(await site.get(f"{run}/sources/0/snapshot"), 422, "invalid-input")


async def test_a_run_without_a_report_says_so(site: Site) -> None:
    fresh = await site.start()
    told(await site.get(f"{fresh}/report"), 404, "not-found")
    assert (await site.get(f"{fresh}/sources")).json()["items"] == []
    await site.post(f"{fresh}/cancel")


async def test_artifacts_are_served_as_images_and_text(site: Site) -> None:
    run, path = "run-made", "/v1/runs/run-made"
    chart = await site.blobs.put("default", run, b"<svg/>")
    table = await site.blobs.put("default", run, b"a,b")
    made = [artifact(1, chart, "chart"), artifact(2, table)]
    report = Report(title="T", sections=[], searches=[], exhibits=["a1", "a2"])
    told_of = phase("synthesis", output={"report": report.model_dump(mode="json")})
    async with Pool(site.database) as pool:
        runs = RunRepository(pool)
        await runs.create(started(run), opened())
        await runs.record(batch(run, 1, artifacts=made, phases=[told_of]))
    listed = (await site.get(f"{path}/artifacts")).json()
    assert [item["name"] for item in listed["items"]] == ["No. 1", "No. 2"]
    assert listed["next_cursor"] is None
    image, text = [await site.get(f"{path}/artifacts/a{n}") for n in (1, 2)]
    assert (image.headers["content-type"], image.content) == ("image/svg+xml", b"<svg/>")
    assert text.headers["content-type"].startswith("text/plain")
    assert text.text == "a,b"
    for answer in (image, text):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].endswith("sandbox")
    html = await site.get(f"{path}/report", format="html")
    assert '<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="No. 1" />' in html.text
    assert "img-src data:;" in html.headers["content-security-policy"]
    told(await site.get(f"{path}/artifacts/a3"), 404, "not-found")
    told(await site.get("/v1/runs/run-none/artifacts"), 404, "not-found")


async def test_snapshot_is_the_page_as_fetched(site: Site) -> None:
    """A page of others is shown as text, a file is saved: nothing of it runs on our address."""
    run, path = "run-read", "/v1/runs/run-read"
    types = {"text/html": "html", PDF: "pdf", DOCX: "docx", "text/markdown": "text", "": "text"}
    bodies = [f"<script>{kind}</script>".encode() for kind in types]
    read = [
        source(n).model_copy(
            update={
                "raw_key": await site.blobs.put("default", run, body),
                "content_type": media_type,
                "bytes": len(body),
                "title": "A page" if n == 1 else "",
            }
        )
        for n, (media_type, body) in enumerate(zip(types, bodies, strict=True), start=1)
    ]
    async with Pool(site.database) as pool:
        runs = RunRepository(pool)
        await runs.create(started(run), opened())
        chart = artifact(1, read[0].raw_key, "chart")
        await runs.record(batch(run, 1, artifacts=[chart], sources=read))
    made, *listed = (await site.get(f"{path}/artifacts")).json()["items"]
    assert made["kind"] == "chart"
    assert [item["kind"] for item in listed] == list(types.values())
    assert [item["bytes"] for item in listed] == list(map(len, bodies))
    assert [item["source_url"] for item in listed] == [page.url for page in read]
    assert [item["name"] for item in listed] == ["A page", *(page.url for page in read[1:])]
    for item, body in zip(listed, bodies, strict=True):
        answer = await site.get(f"{path}/artifacts/{item['id']}")
        assert answer.content == body
        assert answer.headers["content-security-policy"].endswith("sandbox")
        assert answer.headers["x-content-type-options"] == "nosniff"
        saved = answer.headers.get("content-disposition", "")
        if item["kind"] in {"pdf", "docx"}:
            assert answer.headers["content-type"] == item["media_type"]
            assert saved == f'attachment; filename="{item["id"]}.{item["kind"]}"'
        else:
            assert answer.headers["content-type"].startswith("text/plain")
            assert not saved
    told(await site.get(f"{path}/artifacts/source-6"), 404, "not-found")


async def test_own_pdf_opens_in_the_viewer_and_a_fetched_one_is_saved(site: Site) -> None:
    run, path = "run-own-pdf", "/v1/runs/run-own-pdf"
    key = await site.blobs.put("default", run, b"%PDF-1.7")
    pdf = {"raw_key": key, "content_type": PDF}
    own = source(1).model_copy(update={**pdf, "url": "file:///reports/a.pdf"})
    async with Pool(site.database) as pool:
        runs = RunRepository(pool)
        await runs.create(started(run), opened())
        await runs.record(batch(run, 1, sources=[own, source(2).model_copy(update=pdf)]))
    shown, saved = [await site.get(f"{path}/artifacts/source-{n}") for n in (1, 2)]
    for answer in (shown, saved):
        assert answer.headers["content-type"] == PDF
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert shown.headers["content-disposition"] == 'inline; filename="source-1.pdf"'
    assert "sandbox" not in shown.headers["content-security-policy"], "no viewer runs in one"
    assert "frame-ancestors 'none'" in shown.headers["content-security-policy"]
    assert saved.headers["content-disposition"] == 'attachment; filename="source-2.pdf"'
    assert saved.headers["content-security-policy"].endswith("sandbox")


UNDATED, AWAY = Notice.of("source-undated"), Notice.of("source-away")


async def test_source_carries_the_notes_of_validation(site: Site) -> None:
    run, path = "run-checked", "/v1/runs/run-checked"
    read = [source(n).model_copy(update={"notes": [UNDATED]}) for n in (1, 2)]
    found = CheckedSource(
        position=2, url=read[1].url, publisher="", counts=False, notes=[UNDATED, AWAY]
    )
    verdict = Validation(verdict="passed", sources=[found]).model_dump(mode="json")
    async with Pool(site.database) as pool:
        runs = RunRepository(pool)
        await runs.create(started(run), opened())
        phases = [phase("validation", output={"validation": verdict})]
        await runs.record(batch(run, 1, sources=read, phases=phases))
    items = (await site.get(f"{path}/sources")).json()["items"]
    told = [[Notice.model_validate(note) for note in item["notes"]] for item in items]
    assert told == [[UNDATED], [UNDATED, AWAY]]


def test_hints_of_notes_are_bounded_however_often_they_are_cited() -> None:
    quote = Quote(source=9, text="&" * 600)
    cited = [Sentence(text="Said", notes=[1])]

    def write(times: int) -> str:
        paragraph = Paragraph(sentences=cited * times)
        return render_page(Document(title="T", blocks=[paragraph], notes=[quote]))

    assert write(2).count(f'data-note="“{"&amp;" * 499}"') == 2
    many = write(60_000)
    assert many.count('<a href="#note_1"') == 60_000
    assert len(many) < 10_000_000


async def test_run_is_served_as_a_folder_and_as_references(site: Site, run: str) -> None:
    answer = await site.get(f"{run}/report", format="zip")
    assert answer.headers["content-type"] == "application/zip"
    assert 'filename="report.zip"' in answer.headers["content-disposition"]
    files = read_folder(answer.content)
    assert "".join(draw(files["pages/1.md"]).itertext()).endswith(f"{PAGE}\n")
    assert (await site.get(f"{run}/report", format="zip")).content == answer.content
    cited = await count(await site.get(f"{run}/sources"), files["report.md"])
    for format in ("bib", "ris", "csl"):
        found = await site.get(f"{run}/report", format=format)
        starts = re.findall(r'^@online|^TY  - |"type": "webpage"', found.text, re.MULTILINE)
        assert len(starts) == cited > 0
        ending = "csl.json" if format == "csl" else format
        assert f'"report.{ending}"' in found.headers["content-disposition"]
    assert files["references.bib"] == (await site.get(f"{run}/report", format="bib")).text


async def count(sources: httpx.Response, report: str) -> int:
    """Return how many sources the list of a report names."""
    text = draw(report.partition(f"\n## {en('sources')}")[2].partition("\n---")[0])
    urls = {item["url"] for item in sources.json()["items"]}
    return len(urls & {*text.xpath("//a/@href")})


async def test_too_large_a_folder_is_refused_and_its_report_is_not(site: Site) -> None:
    run = await site.complete()
    huge = f"UPDATE sources SET body = jsonb_set(body, '{{chars}}', '20000001') WHERE run_id = '{run.rpartition('/')[2]}'"
    await fetch_as_owner(site.database, huge)
    refused = await site.get(f"{run}/report", format="zip")
    assert (refused.status_code, refused.json()["code"]) == (409, "folder-large")
    assert (await site.get(f"{run}/report")).status_code == 200


async def test_tables_and_pages_of_a_folder_have_one_limit(site: Site) -> None:
    run, path = "run-large", "/v1/runs/run-large"
    table = await site.blobs.put("default", run, b"a,b")
    text = await site.blobs.put("default", run, b"Pumps sell.")
    made = artifact(1, table).model_copy(update={"bytes": MAX_FOLDER_BYTES // 2 + 1})
    page = source(1).model_copy(update={"text_key": text, "chars": MAX_FOLDER_BYTES // 2})
    report = Report(title="T", sections=[], searches=[], exhibits=["a1"])
    told_of = phase("synthesis", output={"report": report.model_dump(mode="json")})
    async with Pool(site.database) as pool:
        runs = RunRepository(pool)
        await runs.create(started(run), opened())
        await runs.record(batch(run, 1, sources=[page], artifacts=[made], phases=[told_of]))
    refused = await site.get(f"{path}/report", format="zip")
    assert (refused.status_code, refused.json()["code"]) == (409, "folder-large")
    params = refused.json()["params"]
    assert params == {"n": MAX_FOLDER_BYTES + 1, "most": MAX_FOLDER_BYTES}


async def test_folder_loads_the_pages_that_it_lists_alone(site: Site) -> None:
    run = await site.complete()
    more = f"""INSERT INTO sources (tenant_id, run_id, position, body)
        SELECT tenant_id, run_id, position + 1, body || '{{"chars": 20000001}}' FROM sources
        WHERE run_id = '{run.rpartition("/")[2]}'"""
    await fetch_as_owner(site.database, more)
    refused = await site.get(f"{run}/report", format="zip")
    assert (refused.status_code, refused.json()["code"]) == (409, "folder-large")
    copy = await site.get(f"{run}/report", format="zip", appendix=False)
    assert copy.status_code == 200
    assert not [name for name in read_folder(copy.content) if "pages/" in name]


@pytest.mark.parametrize("path", ["report", "archive"])
async def test_downloads_of_a_tenant_wait_and_the_rest_is_refused(
    site: Site, run: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slots = Slots(at_once=1, waiting=1, code="limit-downloads")
    monkeypatch.setattr(site.services.limits, "downloads", slots)
    async with slots.take("default"):
        asked = [asyncio.create_task(site.get(f"{run}/{path}", format="zip")) for _ in range(2)]
        done, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED, timeout=10)
        [refused] = [each.result() for each in done]
        assert (refused.status_code, refused.json()["code"]) == (429, "limit-downloads")
    [served] = [await each for each in waiting]
    assert served.status_code == 200
    assert (await site.get(f"{run}/{path}", format="zip")).status_code == 200
