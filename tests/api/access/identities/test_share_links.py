"""A share link opens one report until it expires, and nothing else."""

from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute
from temporalio.client import Client

from api.body_limits import BYTES, is_upload
from api.routers import ALL
from api.runs.shared_sources import GAP, keep_cited, list_passages
from contracts.access.principal import Principal
from contracts.evidence.claims import Citation, Claim
from contracts.report.report import Report, Section
from domain.evidence.pages.page_breaks import find_page
from store.access.access_keys import KeyRepository
from tests.api.conftest import Site
from tests.api.documents.test_files import given as upload
from tests.api.reports.test_report_history import first_patch
from tests.support.databases import connect_as_owner
from tests.support.words import phrase

ANA = Principal(user_id="ana")
OPENED = {
    ("GET", f"/v1/runs/{{run_id}}/{part}")
    for part in (
        "report",
        "report/head",
        "sources",
        "sources/{n}/snapshot",
        "artifacts",
        "artifacts/{aid}",
    )
}


@pytest.fixture(scope="module")
def engine(temporal: Client) -> Client:
    return temporal


@pytest.fixture(scope="module")
async def run(site: Site) -> str:
    """The path of a run with a report."""
    return await site.complete()


async def share(site: Site, run: str, **body: object) -> tuple[str, dict[str, str]]:
    """Make a link; return its id and the headers of who has it."""
    answer = await site.post(f"{run}/share-links", body)
    assert answer.status_code == 201, answer.text
    path, _, token = answer.json()["path"].partition("#")
    assert path == run.replace("/v1/runs/", "/shared/")
    return answer.json()["id"], {"Authorization": f"Bearer {token}"}


async def test_a_link_opens_the_report_its_sources_and_quotes(site: Site, run: str) -> None:
    _, link = await share(site, run)
    kept = ("sources", "sources/1/snapshot", "artifacts/source-1")
    parts = ("report", "report?format=html", "report/head", *kept)
    for part in parts:
        opened = await site.http.get(f"{run}/{part}", headers=link)
        assert opened.status_code == 200, part
        assert opened.text == (await site.http.get(f"{run}/{part}")).text
        assert opened.headers["referrer-policy"] == "no-referrer"


async def test_link_opens_the_report_as_shown_and_no_whole_document(site: Site) -> None:
    """No draft, no earlier report, no phase's; of an own document the cited passages alone."""
    quote, secret = "Pumps sell well in Kenya.", "SALARY LIST: never to be shown."
    file = await upload(site, f"# Budget\n\n{secret} {quote} {secret}")
    rest: dict[str, Any] = {"findings": [], "searches": [], "gaps": []}
    brought = {"research": {"sources": [{"file_id": file}], **rest}}
    run = await site.start(given=brought, only=["synthesis"])
    await site.follow(run, 0)
    [own] = (await site.get(f"{run}/sources")).json()["items"]
    text = f"{secret} {quote} {secret}"
    _, link = await share(site, run)

    async def opened(part: str) -> httpx.Response:
        return await site.http.get(f"{run}/{part}", headers=link)

    for part in ("report?at=5", "report?phase=synthesis"):
        assert (await opened(part)).status_code == 403, part
    assert (await opened(f"artifacts/{own['file_id']}")).status_code == 404
    listed = {each["id"] for each in (await opened("artifacts")).json()["items"]}
    assert own["file_id"] not in listed
    answer = await opened(f"sources/{own['n']}/snapshot")
    assert answer.status_code == 200
    [shown] = [s for s in (await opened("sources")).json()["items"] if s["n"] == own["n"]]
    assert (shown["snippet"], shown["sections"]) == ("", [])
    for part in ("report", "sources", "artifacts", f"sources/{own['n']}/snapshot"):
        answer = await opened(part)
        assert answer.status_code == 200, part
        assert "SALARY" not in answer.text, part
    cited = Claim(text="x", citations=[Citation(source=1, quote=quote, start=32, end=57)])
    report = Report(title="x", sections=[Section(heading="x", claims=[cited])])
    kept = keep_cited(text, list_passages(report)[1])
    assert kept[32:57] == quote
    assert kept.replace(quote, "").strip() == f"{GAP}{' ' * 29}{GAP}"


async def test_a_link_opens_no_draft_of_a_live_run(site: Site) -> None:
    held = site.fakes.hold("turn-3")
    run = await site.start()
    await site.until(run, "clarification")
    planned = (await site.post(f"{run}/answers", {"rest": None}, wait=30)).json()
    await site.post(f"{run}/decision", {"action": "approve", "plan_hash": planned["plan_hash"]})
    await first_patch(site, run)
    _, link = await share(site, run)
    assert phrase("draft") in (await site.get(f"{run}/report")).text
    assert (await site.http.get(f"{run}/report", headers=link)).status_code == 404
    held.set()
    await site.follow(run, 0)
    assert (await site.http.get(f"{run}/report", headers=link)).status_code == 200


def test_shared_text_keeps_the_pages_of_its_quotes() -> None:
    text = "SALARY\n\f\nList\n\f\nPumps sell well in Kenya."
    start = text.index("Pumps")
    quote = Citation(source=1, quote=text[start:], start=start, end=len(text))
    claim = Claim(text="x", citations=[quote])
    kept = keep_cited(
        text, list_passages(Report(title="x", sections=[Section(heading="x", claims=[claim])]))[1]
    )
    assert (len(kept), kept[start:], find_page(kept, start)) == (len(text), text[start:], 3)
    assert "SALARY" not in kept


async def test_a_link_opens_no_other_run_and_nothing_else_of_its_own(site: Site, run: str) -> None:
    _, link = await share(site, run)
    other = await site.complete()
    for part in ("report", "sources", "sources/1/snapshot", "artifacts"):
        assert (await site.http.get(f"{other}/{part}", headers=link)).status_code == 404
    routes = [route for router in ALL for route in router.routes if isinstance(route, APIRoute)]
    for method, place in {(m, r.path) for r in routes for m in r.methods or ()} - OPENED:
        path = place.replace("{run_id}", run.rpartition("/")[2])
        is_file = is_upload(method, path)
        body: dict[str, Any] = {"content": b"x"} if is_file else {"json": {}}
        headers = {**link, "Content-Type": BYTES} if is_file else link
        refused = await site.http.request(method, path, headers=headers, **body)
        assert refused.status_code == 403, (method, path, refused.text)
        assert phrase("link-opens-one-report") in refused.text


async def test_a_link_signs_nobody_in_and_makes_no_key(site: Site, run: str) -> None:
    _, link = await share(site, run)
    token = link["Authorization"].removeprefix("Bearer ")
    assert (await site.post("/v1/session", {"key": token})).status_code == 401
    assert (await site.http.post("/v1/keys", headers=link)).status_code == 403
    assert (await site.http.get("/v1/session", headers=link)).status_code == 403


async def test_a_link_is_over_once_it_is_revoked_or_expired(site: Site, run: str) -> None:
    revoked_id, revoked = await share(site, run)
    expired_id, expired = await share(site, run, days=1)
    _, living = await share(site, run)
    assert (await site.http.delete(f"{run}/share-links/{revoked_id}")).status_code == 204
    async with connect_as_owner(site.database) as connection:
        late = "UPDATE api_keys SET expires_at = expires_at - interval '1 day' WHERE id = %s"
        await connection.execute(late, [expired_id])
    for link, status in ((revoked, 401), (expired, 401), (living, 200)):
        assert (await site.http.get(f"{run}/report", headers=link)).status_code == status
    listed = {each["id"]: each for each in (await site.get(f"{run}/share-links")).json()["items"]}
    assert listed[revoked_id]["revoked_at"]
    assert listed[expired_id]["expires_at"]
    assert not any("token" in each or "path" in each for each in listed.values())
    assert (await site.http.delete(f"{run}/share-links/key-none")).status_code == 404


async def test_a_link_that_is_not_whole_opens_nothing(site: Site, run: str) -> None:
    """Also where no keys are in use and anybody may read the report without one."""
    _, link = await share(site, run)
    for token in (link["Authorization"][:-4], "Bearer gl_wrong"):
        refused = await site.http.get(f"{run}/report", headers={"Authorization": token})
        assert refused.status_code == 401, token
        assert phrase("key-unknown") in refused.text
    plain = await site.http.get(f"{run}/report", headers={"Authorization": "Bearer any"})
    assert plain.status_code == 200


async def test_a_link_requires_no_key_of_anybody_else(site: Site, run: str) -> None:
    await share(site, run)
    assert (await site.get("/v1/runs")).status_code == 200


async def test_a_removed_run_takes_its_links_along(site: Site) -> None:
    run = await site.complete()
    _, link = await share(site, run)
    removed: httpx.Response = await site.http.delete(run)
    assert removed.is_success
    for path in (f"{run}/report", "/v1/runs"):
        assert (await site.http.get(path, headers=link)).status_code == 401, path


@pytest.mark.parametrize("body", [{"days": 0}, {"days": 366}, {"days": "x"}, {"run_id": "other"}])
async def test_a_links_life_is_checked(site: Site, run: str, body: dict[str, object]) -> None:
    assert (await site.post(f"{run}/share-links", body)).status_code == 422


async def test_its_owner_alone_shares_a_run(site: Site, run: str, keys: KeyRepository) -> None:
    """The last one here: from the first key on everybody needs one."""
    _, link = await share(site, run)
    _, token = await keys.create(ANA)
    ana = {"Authorization": f"Bearer {token}"}
    refused = await site.http.post(f"{run}/share-links", json={}, headers=ana)
    assert refused.status_code == 403
    assert (await site.http.get(f"{run}/share-links", headers=ana)).status_code == 403
    assert (await site.http.get(f"{run}/report", headers=link)).status_code == 200
    assert {
        key["run_id"] for key in (await site.http.get("/v1/keys", headers=ana)).json()["items"]
    } == {None}
