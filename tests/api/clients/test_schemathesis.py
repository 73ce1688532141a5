"""Requests that nobody would write, one after another: no bug answers, and each answer as described."""

import os
import re
import sys
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
EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "5"))
"""Requests made up for each operation, and chains of requests, over all shards."""
SHARD, SHARDS = map(int, os.environ.get("SCHEMATHESIS_SHARD", "1/1").split("/"))
"""Which part of these, from 1: each part has a seed of its own."""
OPERATIONS = os.environ.get("SCHEMATHESIS_OPERATIONS", "").split()
"""Ids of the operations to request; default: all but the endless stream."""
PLACES = """
[parameters]
"path.run_id" = "{ended}"
"path.other_id" = "{ended}"
"path.phase_id" = "research"
"path.aid" = "source-1"
"path.n" = 1
"path.kind" = "planning"
"path.definition_id" = "deep_research"
"query.wait" = 0

[[operations]]
include-operation-id = [
    "answer_questions", "delegate", "give_feedback", "steer", "undo", "pause", "resume",
]
parameters = {{ "path.run_id" = "{waiting}" }}

[[operations]]
include-operation-id = "decide"
parameters = {{ "path.run_id" = "{decided}" }}

[[operations]]
include-operation-id = "cancel"
parameters = {{ "path.run_id" = "{cancelled}" }}

[[operations]]
include-operation-id = "delete_run"
parameters = {{ "path.run_id" = "{deleted}" }}

[[operations]]
include-operation-id = "replace_workflow"
parameters = {{ "path.definition_id" = "replaced" }}

[[operations]]
include-operation-id = "delete_workflow"
parameters = {{ "path.definition_id" = "deleted" }}
"""
"""What paths name, so that requests reach further than a 404."""


@pytest.mark.full
@pytest.mark.timeout(7200)
async def test_no_request_breaks_the_gateway_or_its_description(site: Site, tmp_path: Path) -> None:
    for name in ("replaced", "deleted"):
        await site.post("/v1/workflows", {"id": name, "phases": [{"kind": "planning"}]})
    runs = {"ended": await site.complete()}
    for name in ("waiting", "decided", "cancelled", "deleted"):
        runs[name] = await site.start(fresh=True)
        await site.until(runs[name], "clarification")
    places = {name: path.rpartition("/")[2] for name, path in runs.items()}
    (tmp_path / "schemathesis.toml").write_text(PLACES.format(**places))
    each, phases = -(-EXAMPLES // SHARDS), ["fuzzing", "stateful"]
    if SHARD == 1:  # both make the same requests for every seed
        phases += ["examples", "coverage"]
    chosen = [word for name in OPERATIONS for word in ("--include-operation-id", name)]
    told = await shell(
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{site.http.base_url}/openapi.json"),
        *("--checks", ",".join(CHECKS), "--exclude-operation-id", "stream_events", *chosen),
        *("--phases", ",".join(phases), "--max-examples", str(each)),
        *("--seed", str(SHARD)),
        # With a database of examples Hypothesis shrinks accepted inputs, which is half of its time.
        *("--generation-database", "none"),
        *("--request-timeout", "70", "--suppress-health-check", "all"),
        where=tmp_path,
    )
    print(told)  # noqa: T201 - how many requests there were
    counted = re.search(r"(\d+) generated, (\d+) passed", told)
    assert counted
    assert counted[1] == counted[2]
    assert int(counted[1]) >= (len(OPERATIONS) or 50) * each
