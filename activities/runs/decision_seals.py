"""Signatures on decisions: the gateway seals a message, the worker verifies its seal and its key."""

import hashlib
import hmac
import json
from datetime import datetime
from typing import TYPE_CHECKING

from temporalio import activity

from contracts.access.principal import Principal
from contracts.base import Contract
from contracts.errors import NotAllowed
from contracts.human.approvers import Delegate, Seal, Sealed, SealedDelegate
from contracts.human.messages import Decide
from contracts.notices import Notice
from contracts.problems import Problem

if TYPE_CHECKING:
    from store.access.access_keys import KeyRepository


class Sealer:
    """Signs with the secret that gateway and worker share; no history contains it."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()

    def seal(
        self, tenant_id: str, run_id: str, message: Decide | Delegate, key_id: str, at: datetime
    ) -> Seal:
        """Return the seal on a message from the holder of a key.

        Raises:
            NotAllowed: No secret is set.
        """
        if not self._secret:
            raise NotAllowed(Notice.of("seal-unset"))
        seal = Seal(key_id=key_id, at=at, mac="")
        return seal.model_copy(update={"mac": self._compute_mac(tenant_id, run_id, message, seal)})

    def is_valid(self, tenant_id: str, run_id: str, message: Sealed) -> bool:
        """Return whether this very message was sealed for this run."""
        if not self._secret or message.seal is None:
            return False
        expected = self._compute_mac(tenant_id, run_id, message, message.seal)
        return hmac.compare_digest(expected.encode(), message.seal.mac.encode())

    def sign_archive(self, digest: str) -> str:
        """Return the HMAC-SHA256 over an archive's hash; empty without a secret.

        No text that is signed for a message begins as this one does.
        """
        if not self._secret:
            return ""
        return hmac.new(self._secret, f"archive {digest}".encode(), hashlib.sha256).hexdigest()

    def _compute_mac(
        self, tenant_id: str, run_id: str, message: Decide | Delegate, seal: Seal
    ) -> str:
        """Return the HMAC-SHA256 over run, key, time and the whole message."""
        body = message.model_dump(mode="json", exclude={"seal"}, exclude_defaults=True)
        kind = "delegate" if isinstance(message, Delegate) else "decide"
        content = [kind, tenant_id, run_id, body, seal.key_id, seal.at.timestamp()]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()


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
