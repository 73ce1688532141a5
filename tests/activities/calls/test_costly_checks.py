"""Checks that exceed their limit: nothing passes as checked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from activities.claims.claim_activities import ClaimActivities
from activities.claims.evidence_code import EVIDENCE_CODE
from contracts.base import Json
from contracts.errors import TooCostly
from contracts.evidence.checks import CheckRequest
from contracts.evidence.claims import Citation, Claim
from contracts.evidence.reasons import Reason
from contracts.models.call import ModelRequest, Scope
from store.blobs import BlobStore

T = TypeVar("T")
CLAIM = Claim(text="Pumps sell.", citations=[Citation(source=1, quote="Pumps sell.")])


async def exceed(function: Callable[..., T], *args: Any, task: str, tenant: str = "") -> T:
    raise TooCostly("time", 20)


@pytest.mark.parametrize("count", [1, 3])
async def test_claims_whose_check_is_too_costly_are_marked(tmp_path: Path, count: int) -> None:
    scope = Scope(tenant_id="acme", run_id="run-1", phase_id="p", attempt=1, name="n")
    call = ModelRequest(scope=scope, role="r", model="m", system="", messages=[], cap_usd=1)
    gateway: Any = None  # no model is asked
    claims = ClaimActivities(gateway, EVIDENCE_CODE, BlobStore(tmp_path.as_uri()), exceed)
    output: Json = {"points": [CLAIM.model_dump(mode="json")] * count}
    checked = await claims.verify(CheckRequest(call=call, output=output))
    assert checked.open == {}
    found = [claim for claim in checked.claims if claim]
    assert [claim.verdict for claim in found] == ["not_shown"] * count
    told = Reason(code="too-costly", params={"error": TooCostly("time", 20).words})
    assert {claim.reason for claim in found} == {told.text}
