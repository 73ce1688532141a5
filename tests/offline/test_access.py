"""Access to the offline services: for programs on this machine, and to some paths with the key."""

import asyncio

import httpx
import pytest

from tests.offline.conftest import Services

PATHS = ["/library", "/pages/kenya-energy", "/res/v1/web/search?q=Kenya", "/requests", "/nowhere"]
BROWSER = {"origin": "http://evil.example", "content-type": "text/plain"}


def stranger(services: Services) -> httpx.AsyncClient:
    """Return a client without the key."""
    return httpx.AsyncClient(base_url=services.base, trust_env=False)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil@127.0.0.1", ""])
async def test_a_foreign_host_is_refused(services: Services, path: str, host: str) -> None:
    answer = await services.http.get(path, headers={"host": host})
    assert (answer.status_code, "Host" in answer.text) in {(403, True), (400, False)}


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
async def test_any_name_of_the_loopback_is_taken(services: Services, name: str) -> None:
    port = services.base.rpartition(":")[2]
    answer = await services.http.get("/library", headers={"host": f"{name}:{port}"})
    assert answer.status_code == 200


async def test_two_hosts_are_refused(services: Services) -> None:
    own = services.base.removeprefix("http://")
    reader, writer = await asyncio.open_connection(*own.split(":"))
    writer.write(f"GET /library HTTP/1.1\r\nHost: {own}\r\nHost: evil.example\r\n\r\n".encode())
    status = (await reader.readline()).split()[1]
    writer.close()
    assert status in {b"400", b"403"}


@pytest.mark.parametrize("path", PATHS)
async def test_a_web_page_is_refused(services: Services, path: str) -> None:
    assert (await services.http.get(path, headers=BROWSER)).status_code == 403
    assert (await services.http.post(path, headers=BROWSER, content="{}")).status_code == 403
    assert (await services.http.options(path, headers=BROWSER)).status_code == 403


@pytest.mark.parametrize("origin", ["null", "", "http://localhost"])
async def test_any_origin_at_all_is_a_web_page(services: Services, origin: str) -> None:
    assert (await services.http.get("/library", headers={"origin": origin})).status_code == 403


@pytest.mark.parametrize("key", [None, "", "wrong", "ключ"])
async def test_switches_and_log_need_the_key(services: Services, key: str | None) -> None:
    params = {} if key is None else {"key": key}
    hang = {"failures": [{"mode": "hang"}]}
    async with stranger(services) as http:
        answers = [
            await http.post("/control", json=hang, params=params),
            await http.delete("/control", params=params),
            await http.get("/requests", params=params),
            await http.delete("/requests", params=params),
        ]
    assert [answer.status_code for answer in answers] == [403] * 4
    assert (await services.http.get("/library")).status_code == 200


async def test_the_services_themselves_need_no_key(services: Services) -> None:
    async with stranger(services) as http:
        assert (await http.get("/pages/kenya-energy")).status_code == 200
