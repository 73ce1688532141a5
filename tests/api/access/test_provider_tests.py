"""Who may have a provider tested, and with which model; what a test says is in tests/page/settings/test_settings.py."""

import httpx
import pytest
from temporalio.client import Client

from contracts.access.principal import Principal
from contracts.notices import Notice
from store.access.access_keys import KeyRepository
from tests.api.conftest import Site
from tests.api.test_validation_errors import told

MODEL, SEARCH, TOOLS = (f"/v1/providers/{kind}/test" for kind in ("model", "search", "tools"))


@pytest.fixture(scope="module")
def engine(temporal: Client) -> Client:
    return temporal


async def test_provider_is_tested_by_the_installation_s_own_tenant_alone(
    site: Site, keys: KeyRepository
) -> None:
    async def ask(tenant: str, path: str, body: dict[str, str]) -> httpx.Response:
        _, token = await keys.create(Principal(tenant_id=tenant, user_id="ana"))
        headers = {"Authorization": f"Bearer {token}"}
        return await site.http.post(path, json=body, headers=headers)

    for path in (MODEL, SEARCH):
        refused = told(await ask("acme", path, {}), 403, "not-allowed")
        assert refused["code"] == Notice.of("provider-not-yours").code
    unknown = told(await ask("default", MODEL, {"model": "none"}), 422, "invalid-input")
    assert unknown["problems"][0]["path"] == "model"
    unlisted = told(await ask("default", TOOLS, {"server": "none"}), 422, "invalid-input")
    assert unlisted["problems"][0]["path"] == "server"
    assert (await site.post(MODEL, {})).status_code == 401
    for path in (MODEL, SEARCH):
        away = await ask("default", path, {})
        assert (away.status_code, away.json()["state"]) == (200, "unreachable")
