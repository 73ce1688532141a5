"""Signatures on decisions and archives, with the secret that gateway and worker share."""

import hashlib
import hmac
import json
from datetime import datetime

from contracts.errors import NotAllowed
from contracts.human.approvers import Delegate, Seal, Sealed
from contracts.human.messages import Decide
from contracts.notices import Notice


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
