"""Checks that exceed their limit: nothing passes as checked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from activities.calls.claim_verifier import ClaimVerifier
from contracts.errors import TooCostly
from contracts.evidence.claims import Citation, Claim, JudgeTerms
from contracts.models.call import ModelRequest, Scope
from store.blobs import BlobStore

T = TypeVar("T")
CLAIM = Claim(text="Pumps sell.", citations=[Citation(source=1, quote="Pumps sell.")])


async def exceed(function: Callable[..., T], *args: Any, task: str, tenant: str = "") -> T:
    raise TooCostly(f"{task} takes longer than 20 s", limit="time")


@pytest.mark.parametrize("count", [1, 3])
async def test_claims_whose_check_is_too_costly_are_marked(tmp_path: Path, count: int) -> None:
    scope = Scope(tenant_id="acme", run_id="run-1", phase_id="p", attempt=1, name="n")
    fields: dict[str, Any] = {"scope": scope}
    request = ModelRequest.model_construct(**fields)
    verifier = ClaimVerifier(BlobStore(tmp_path.as_uri()), exceed)
    terms = JudgeTerms(model="", question="?")
    checks = await verifier._check(request, [CLAIM] * count, {}, terms)
    assert [check.outcome for check in checks] == ["fails"] * count
    assert {check.claim.verdict for check in checks} == {"not_shown"}
    assert {check.claim.reason for check in checks} == {
        "checking the claims against their pages takes longer than 20 s"
    }
