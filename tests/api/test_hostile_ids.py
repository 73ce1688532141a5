"""Unknown run ids: each gets a clear error, and none gets past the router."""

import pytest

from tests.api.conftest import Site

HOSTILE = {
    "unknown": "run-00000000-0000-0000-0000-000000000000",
    "slashes": "..%2F..%2Fetc%2Fpasswd",
    "NUL": "%00",
    "NUL inside": "run%00x",
    "line break": "run-1%0Ax",
    "no UTF-8": "%ff%fe",
    "script": "%D7%A8%D7%99%D7%A6%D7%94",
    "SQL": "x'%20OR%20'1'='1",
    "template": "%7B%7B7*7%7D%7D",
    "long": "x" * 10_000,
    "long and unknown": "x" * 128,
}
WAYS = {
    ("GET", "/v1/runs/{run_id}"),
    ("DELETE", "/v1/runs/{run_id}"),
    ("GET", "/v1/runs/{run_id}/stream"),
    ("GET", "/v1/runs/{run_id}/phases/{phase_id}"),
    ("POST", "/v1/runs/{run_id}/cancel"),
}


@pytest.mark.parametrize("run_id", HOSTILE.values(), ids=HOSTILE)
async def test_an_id_that_no_run_has_is_404_or_422(site: Site, run_id: str) -> None:
    await refused(site, run_id, WAYS)


@pytest.mark.full
@pytest.mark.parametrize("run_id", HOSTILE.values(), ids=HOSTILE)
async def test_invalid_id_is_422_on_every_path(site: Site, run_id: str) -> None:
    paths = (await site.get("/openapi.json")).json()["paths"]
    ways = {(way.upper(), path) for path in paths if "{run_id}" in path for way in paths[path]}
    assert ways > WAYS
    await refused(site, run_id, ways)


async def refused(site: Site, run_id: str, ways: set[tuple[str, str]]) -> None:
    for method, path in ways:
        url = path.replace("{n}", "1")
        for name in ("run_id", "other_id", "phase_id", "aid"):
            url = url.replace(f"{{{name}}}", run_id)
        answer = await site.http.request(method, url)
        assert answer.status_code in (404, 422), (method, path, answer.text[:300])
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["detail"]
