"""Requests that nobody would write, one after another: no bug answers, and each answer as described."""

import os
from pathlib import Path

import pytest

from tests.api.clients.test_generated_clients import shell
from tests.api.conftest import Site

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
EXAMPLES = os.environ.get("SCHEMATHESIS_EXAMPLES", "5")


@pytest.mark.full
@pytest.mark.timeout(3600)
async def test_no_request_breaks_the_gateway_or_its_description(site: Site, tmp_path: Path) -> None:
    run = (await site.complete()).rpartition("/")[2]
    (tmp_path / "schemathesis.toml").write_text(f'[parameters]\n"path.run_id" = "{run}"\n')
    told = await shell(
        *(
            "schemathesis",
            "run",
            f"{site.http.base_url}/openapi.json",
            "--checks",
            ",".join(CHECKS),
        ),
        *("--max-examples", EXAMPLES, "--exclude-operation-id", "stream_events"),
        *("--request-timeout", "70", "--suppress-health-check", "all", "--seed", "1"),
        where=tmp_path,
    )
    assert "No issues found" in told
