"""Decision links: signed addresses by which one user may decide at one checkpoint about one plan, once."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from pydantic import ValidationError

from contracts.access.principal import Principal
from contracts.alerts import DueAlert
from contracts.errors import Conflict, NotFound
from contracts.human.checkpoints import Checkpoint
from contracts.human.decision_links import DecisionLink
from contracts.notices import Notice

if TYPE_CHECKING:
    from store.run_records.runs import RunRow

_PURPOSE = b"greenlight-decision-link."
"""Prefix of the signed text, since the same secret signs other things."""
MAX_TOKEN_CHARS = 2_000


class DecisionLinks:
    """Signs decision links with the secret shared by gateway and worker; without a secret there are no links."""

    def __init__(self, secret: str, public_url: str) -> None:
        self._secret = secret.encode()
        self._public_url = public_url.rstrip("/")

    def build_run_url(self, run_id: str) -> str:
        """Return the address of a run's page."""
        return f"{self._public_url}/runs/{quote(run_id, safe=':')}"

    def build_compare_url(self, alert: DueAlert) -> str:
        """Return the URL of the comparison with the previous run; empty if there is none."""
        if alert.changes is None or alert.changes.uncompared:
            return ""
        runs = alert.changes.previous_run_id, alert.run_id or ""
        return f"{self._public_url}/compare/{quote('/'.join(runs), safe='/:')}"

    def build_decide_url(self, alert: DueAlert) -> str:
        """Return the link of an alert; empty unless its user may approve a plan that is still shown."""
        facts, shown = alert.facts, alert.open_checkpoint
        is_shown = shown is not None and shown.plan_hash == facts.plan_hash
        may_decide = alert.decides and facts.subject == "plan" and is_shown
        if not (self._secret and may_decide and alert.run_id and facts.plan_hash and shown):
            return ""
        link = DecisionLink(
            tenant_id=alert.tenant_id,
            run_id=alert.run_id,
            checkpoint_id=facts.checkpoint_id,
            plan_hash=facts.plan_hash,
            channel_id=alert.channel_id,
            user_id=alert.user_id,
            expires_at=int(datetime.fromisoformat(shown.deadline).timestamp()),
        )
        return f"{self._public_url}/decide/{self.sign(link)}"

    def build_holder_url(
        self, holder: Principal, run: "RunRow", shown: Checkpoint, client: str
    ) -> str:
        """Return the link by which the holder of a key may decide about the plan that is shown.

        It is the run's page where no link can do that: the holder may not decide or came by a token, or no plan is shown.
        """
        if holder.came_by_token:  # a token expires, and its link could not be revoked
            return self.build_run_url(run.run_id)
        may_decide = holder.may_decide and (shown.poll or holder.user_id in {None, run.user_id})
        if not (self._secret and may_decide and shown.plan and shown.plan_hash):
            return self.build_run_url(run.run_id)
        link = DecisionLink(
            tenant_id=holder.tenant_id,
            run_id=run.run_id,
            checkpoint_id=shown.checkpoint_id,
            plan_hash=shown.plan_hash,
            key_id=holder.key_id,
            user_id=holder.user_id or run.user_id,
            client=client,
            expires_at=int(datetime.fromisoformat(shown.deadline).timestamp()),
        )
        return f"{self._public_url}/decide/{self.sign(link)}"

    def sign(self, link: DecisionLink) -> str:
        """Return a link as the token in its address."""
        body = _encode(link.model_dump_json().encode())
        return f"{body}.{_encode(self._compute_mac(body))}"

    def open(self, token: str) -> DecisionLink:
        """Verify a token and return the link it contains.

        Raises:
            NotFound: This installation did not sign it.
            Conflict: It has expired.
        """
        body, _, mac = token.partition(".")
        expected = _encode(self._compute_mac(body))
        if not (self._secret and hmac.compare_digest(expected.encode(), mac.encode())):
            raise NotFound(Notice.of("decide-link-unknown"))
        try:
            link = DecisionLink.model_validate_json(base64.urlsafe_b64decode(body + "=="))
        except (ValueError, ValidationError):
            raise NotFound(Notice.of("decide-link-unknown")) from None
        if link.expires_at <= datetime.now(UTC).timestamp():
            raise Conflict(Notice.of("decide-link-expired"))
        return link

    def _compute_mac(self, body: str) -> bytes:
        return hmac.digest(self._secret, _PURPOSE + body.encode(), hashlib.sha256)


def hash_token(token: str) -> bytes:
    """Return the digest by which a used link is known."""
    return hashlib.sha256(token.encode()).digest()


def _encode(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")
