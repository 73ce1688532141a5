"""Verification of a sealed decision: its signature, and that its key is not revoked."""

from typing import TYPE_CHECKING

from temporalio import activity

from contracts.access.principal import Principal
from contracts.base import Contract
from contracts.human.approvers import Sealed, SealedDelegate
from contracts.notices import Notice
from contracts.problems import Problem
from domain.decision_seals import Sealer

if TYPE_CHECKING:
    from store.access.access_keys import KeyRepository


class VerifyRequest(Contract):
    """A message to a run, with its seal."""

    tenant_id: str
    run_id: str
    message: Sealed


class SealVerification(Contract):
    """Reason for a refusal, or the roles with which a message counts."""

    refused: Problem | Notice | None = None
    role: str = ""
    roles_of_delegate: list[str] = []


class ApprovalActivities:
    """Verifies a seal, and that its key is not revoked now."""

    def __init__(self, seals: Sealer, keys: "KeyRepository") -> None:
        self._seals = seals
        self._keys = keys

    @activity.defn(name="approvals.verify")
    async def verify(self, request: VerifyRequest) -> SealVerification:
        """Return the roles with which a message counts, or why it is refused; idempotent."""
        message = request.message
        if message.seal is None:
            return SealVerification(refused=Notice.of("seal-missing"))
        if not self._seals.is_valid(request.tenant_id, request.run_id, message):
            return SealVerification(refused=Notice.of("seal-wrong"))
        held = await self._keys.list_live(
            Principal(tenant_id=request.tenant_id, user_id=message.by)
        )
        key = next((key for key in held if key.id == message.seal.key_id), None)
        if key is None:
            return SealVerification(refused=Notice.of("seal-key-revoked", user=message.by))
        if not isinstance(message, SealedDelegate):
            return SealVerification(role=key.role)
        held = await self._keys.list_live(
            Principal(tenant_id=request.tenant_id, user_id=message.to)
        )
        if not held:
            refused = Problem.at("to", "delegate-without-key", user=message.to)
            return SealVerification(refused=refused)
        roles = [held_key.role for held_key in held if held_key.role]
        return SealVerification(role=key.role, roles_of_delegate=roles)
