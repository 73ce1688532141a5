"""Channels of users, and the alerts that are sent through them."""

import secrets
from base64 import b64encode
from datetime import timedelta
from typing import LiteralString
from urllib.parse import urlsplit

from contracts.access.principal import Principal
from contracts.alerts import (
    AlertStatus,
    Channel,
    ChannelBody,
    ChannelChange,
    ChannelRef,
    Delivery,
    DueAlert,
    NewAlert,
    NewChannel,
)
from contracts.errors import Conflict, NotFound
from contracts.notices import Notice
from contracts.problems import Problem
from store.access.row_visibility import VISIBLE, bind
from store.access.secret_encryption import KeyLost, TextCipher
from store.postgres.encoding import encode
from store.postgres.pool import Pool, Repository

MAX_CHANNELS = 10
"""Per user."""
LOG_KEPT = timedelta(days=30)
"""Settled alerts are removed from a channel's log after this time."""
LOG_LENGTH = 100

CHANNEL: LiteralString = """jsonb_build_object(
    'id', r.id, 'kind', kind, 'shown_target', shown_target, 'name', name, 'events', events,
    'language', language, 'enabled', enabled, 'disabled', disabled, 'created_at', created_at,
    'queued', (SELECT count(*) FROM alerts a WHERE (a.tenant_id, a.channel_id) = (r.tenant_id, r.id)
        AND a.status = 'queued' AND a.due_at <= now()))"""
DELIVERY: LiteralString = """jsonb_build_object(
    'id', a.id, 'type', a.type, 'run_id', a.run_id, 'at', a.at, 'status', a.status,
    'attempts', a.attempts, 'next_at', CASE a.status WHEN 'queued' THEN a.next_at END,
    'settled_at', a.settled_at, 'failure', a.failure)"""

NEXT: LiteralString = """
    SELECT jsonb_build_object(
        'tenant_id', a.tenant_id, 'channel_id', c.id, 'user_id', c.user_id, 'key_id', c.key_id,
        'kind', c.kind, 'target', c.target, 'secret', c.secret, 'language', c.language,
        'id', a.id, 'type', a.type, 'at', a.at, 'attempts', a.attempts, 'decides', a.decides,
        'wait_seconds', extract(epoch FROM a.next_at - now()),
        'age_seconds', extract(epoch FROM now() - a.due_at),
        'facts', a.facts, 'run_id', a.run_id,
        'query', coalesce(r.request ->> 'query', a.facts ->> 'query', ''), 'definition_id', coalesce(r.definition_id, ''),
        'notices', coalesce(r.snapshot -> 'notices', '[]'),
        'open_checkpoint', (SELECT p FROM jsonb_array_elements(r.snapshot -> 'pending') AS p
            WHERE p ->> 'checkpoint_id' = a.facts ->> 'checkpoint_id' LIMIT 1))
    FROM alerts a
    JOIN channels c ON (c.tenant_id, c.id) = (a.tenant_id, a.channel_id)
    LEFT JOIN runs r ON (r.tenant_id, r.id) = (a.tenant_id, a.run_id)
    WHERE (a.tenant_id, a.channel_id) = (%(tenant)s, %(channel)s) AND a.status = 'queued'
        AND c.enabled AND c.disabled IS NULL AND (a.attempts > 0 OR a.next_at <= now())
    ORDER BY a.seq LIMIT 1"""

REST: LiteralString = """
    SELECT extract(epoch FROM min(a.next_at) - now())::float FROM alerts a
    JOIN channels c ON (c.tenant_id, c.id) = (a.tenant_id, a.channel_id)
    WHERE (a.tenant_id, a.channel_id) = (%(tenant)s, %(channel)s) AND a.status = 'queued'
        AND c.enabled AND c.disabled IS NULL"""


class ChannelRepository(Repository):
    """Keeps the channels of users, with their addresses and secrets encrypted.

    The part of an address that is shown, a host or a mail address, is kept in plain text.
    """

    def __init__(self, pool: Pool, cipher: TextCipher) -> None:
        super().__init__(pool)
        self._cipher = cipher

    async def list(self, principal: Principal) -> list[Channel]:
        """Return a user's channels, the oldest first."""
        found = await self._fetch(
            f"SELECT {CHANNEL} FROM channels r WHERE {VISIBLE} ORDER BY created_at, id",
            bind(principal),
        )
        return [Channel.model_validate(row) for row in found]

    async def create(self, principal: Principal, user_id: str, body: ChannelBody) -> NewChannel:
        """Insert a channel and return it with its secret.

        Raises:
            Conflict: The user already has `MAX_CHANNELS` channels.
        """
        signs = body.kind == "webhook"
        secret = "whsec_" + b64encode(secrets.token_bytes(32)).decode() if signs else ""
        is_mail, channel_id = body.kind == "email", f"channel-{secrets.token_hex(8)}"
        row = _name_row(principal.tenant_id, channel_id)
        found = await self._fetch(
            f"""
            INSERT INTO channels AS r (tenant_id, id, user_id, key_id, kind, target, shown_target, secret,
                name, events, language, enabled)
            SELECT %(tenant)s, %(id)s, %(owner)s, %(key)s, %(kind)s, %(target)s, %(shown)s, %(secret)s,
                %(name)s, %(events)s, %(language)s, %(enabled)s
            WHERE (SELECT count(*) FROM channels WHERE (tenant_id, user_id) = (%(tenant)s, %(owner)s))
                < %(most)s
            RETURNING {CHANNEL}
            """,
            {
                **bind(principal),
                **body.model_dump(),
                "id": channel_id,
                "owner": user_id,
                "key": principal.key_id,
                "shown": body.target if is_mail else urlsplit(body.target).hostname,
                "target": self._cipher.encrypt(body.target, row),
                "secret": self._cipher.encrypt(secret, row),
                "most": MAX_CHANNELS,
            },
        )
        if not found:
            raise Conflict(Notice.of("channels-many", most=MAX_CHANNELS))
        return NewChannel.model_validate(found[0] | {"secret": secret})

    async def change(self, principal: Principal, channel_id: str, body: ChannelChange) -> Channel:
        """Change a channel. Enabling it also clears the reason for which its receiver disabled it."""
        return await self._fetch_channel(
            f"""
            UPDATE channels r SET name = %(name)s, events = %(events)s, language = %(language)s,
                enabled = %(enabled)s, disabled = CASE WHEN %(enabled)s THEN NULL ELSE disabled END
            WHERE {VISIBLE} AND r.id = %(channel)s RETURNING {CHANNEL}
            """,
            principal,
            channel_id,
            **body.model_dump(),
        )

    async def delete(self, principal: Principal, channel_id: str) -> None:
        """Delete a channel with its log and what waits to be sent."""
        await self._fetch_channel(
            f"DELETE FROM channels r WHERE {VISIBLE} AND r.id = %(channel)s RETURNING {CHANNEL}",
            principal,
            channel_id,
        )

    async def get(self, principal: Principal, channel_id: str) -> Channel:
        """Return a channel."""
        return await self._fetch_channel(
            f"SELECT {CHANNEL} FROM channels r WHERE {VISIBLE} AND r.id = %(channel)s",
            principal,
            channel_id,
        )

    async def claim_link(self, tenant_id: str, run_id: str, digest: bytes) -> bool:
        """Mark a decision link as used; return False if it was used before."""
        found = await self._fetch(
            "INSERT INTO used_decision_links (tenant_id, run_id, digest)"
            " VALUES (%(tenant)s, %(run)s, %(digest)s) ON CONFLICT DO NOTHING RETURNING true",
            {"tenant": tenant_id, "run": run_id, "digest": digest},
        )
        return bool(found)

    async def is_link_used(self, tenant_id: str, run_id: str, digest: bytes) -> bool:
        """Return True if somebody has decided by this link; a link works once."""
        found = await self._fetch(
            "SELECT true FROM used_decision_links"
            " WHERE (tenant_id, run_id, digest) = (%(tenant)s, %(run)s, %(digest)s)",
            {"tenant": tenant_id, "run": run_id, "digest": digest},
        )
        return bool(found)

    async def release_link(self, tenant_id: str, run_id: str, digest: bytes) -> None:
        """Mark a decision link as unused again, because it decided nothing."""
        await self._fetch(
            "DELETE FROM used_decision_links"
            " WHERE (tenant_id, run_id, digest) = (%(tenant)s, %(run)s, %(digest)s)",
            {"tenant": tenant_id, "run": run_id, "digest": digest},
        )

    async def find_owner(self, tenant_id: str, channel_id: str) -> Principal | None:
        """Return the principal that a channel acts as.

        Return None if the channel is deleted, if the key that made it is revoked or expired, or if it was
        made without a key and keys exist now.
        """
        found = await self._fetch(
            """
            SELECT jsonb_build_object('tenant_id', c.tenant_id, 'user_id', c.user_id, 'key_id', c.key_id,
                'role', coalesce(k.role, ''), 'scope', coalesce(k.scope, 'decide'))
            FROM channels c LEFT JOIN api_keys k ON (k.tenant_id, k.id) = (c.tenant_id, c.key_id)
            WHERE (c.tenant_id, c.id) = (%(tenant)s, %(channel)s) AND CASE WHEN c.key_id IS NULL
                THEN NOT keys_exist()
                ELSE k.revoked_at IS NULL AND coalesce(k.expires_at, 'infinity') > now() END
            """,
            {"tenant": tenant_id, "channel": channel_id},
        )
        return Principal.model_validate(found[0]) if found else None

    async def _fetch_channel(
        self, query: LiteralString, principal: Principal, channel_id: str, **values: object
    ) -> Channel:
        found = await self._fetch(query, bind(principal) | {"channel": channel_id} | values)
        if not found:
            raise NotFound(Problem.at("channel_id", "channel-unknown", channel=channel_id))
        return Channel.model_validate(found[0])


class AlertRepository(Repository):
    """Queue of alerts: returns each channel's alerts in order and records every delivery."""

    def __init__(self, pool: Pool, cipher: TextCipher) -> None:
        super().__init__(pool)
        self._cipher = cipher

    async def queue_for_user(
        self, tenant_id: str, user_id: str, alert: NewAlert
    ) -> list[ChannelRef]:
        """Queue an alert that belongs to no recorded run; idempotent by alert id. Return its channels."""
        found = await self._fetch(
            """
            INSERT INTO alerts (tenant_id, channel_id, id, type, facts, at, due_at, next_at)
            SELECT tenant_id, id, %(id)s, %(type)s, %(facts)s::jsonb, %(at)s, %(at)s, %(at)s
            FROM channels WHERE (tenant_id, user_id) = (%(tenant)s, %(user)s) AND %(type)s = ANY(events)
            ON CONFLICT DO NOTHING RETURNING channel_id
            """,
            {
                "tenant": tenant_id,
                "user": user_id,
                "id": alert.id,
                "type": alert.type,
                "facts": encode(alert.facts),
                "at": alert.at,
            },
        )
        return [ChannelRef(tenant_id=tenant_id, channel_id=name) for name in found]

    async def find_next(self, channel: ChannelRef) -> DueAlert | None:
        """Return the channel's next alert that is due or awaits a retry, or None.

        A channel whose encryption key is lost is disabled: a retry cannot help, and its user can make
        another.
        """
        found = await self._fetch(NEXT, _name(channel))
        if not found:
            return None
        row = _name_row(channel.tenant_id, channel.channel_id)
        try:
            opened = {n: self._cipher.decrypt(found[0][n], row) for n in ("target", "secret")}
        except KeyLost:
            await self._disable(channel, Notice.of("channel-key-lost"))
            return None
        return DueAlert.model_validate(found[0] | opened)

    async def encrypt_anew(self) -> None:
        """Re-encrypt with the newest key every channel stored in plain text or encrypted with an older key."""
        query = "SELECT sweep_channels(%(prefix)s)"
        for tenant_id, channel_id in await self._fetch(query, {"prefix": self._cipher.prefix}):
            await self._encrypt_anew(ChannelRef(tenant_id=tenant_id, channel_id=channel_id))

    async def _encrypt_anew(self, channel: ChannelRef) -> None:
        found = await self._fetch(
            "SELECT jsonb_build_array(target, secret) FROM channels"
            " WHERE (tenant_id, id) = (%(tenant)s, %(channel)s)",
            _name(channel),
        )
        row = _name_row(channel.tenant_id, channel.channel_id)
        for target, secret in found:
            try:
                plain = self._cipher.decrypt(target, row), self._cipher.decrypt(secret, row)
            except KeyLost:
                continue  # its next alert says so
            await self._fetch(
                """
                UPDATE channels SET target = %(target)s, secret = %(secret)s
                WHERE (tenant_id, id, target) = (%(tenant)s, %(channel)s, %(before)s)
                """,
                _name(channel)
                | {
                    "before": target,
                    "target": self._cipher.encrypt(plain[0], row),
                    "secret": self._cipher.encrypt(plain[1], row),
                },
            )

    async def find_wait(self, channel: ChannelRef) -> float | None:
        """Return the seconds until a channel's next alert is due, or None if its queue is empty."""
        [seconds] = await self._fetch(REST, _name(channel))
        return None if seconds is None else max(float(seconds), 0.0)

    async def settle(
        self, alert: DueAlert, status: AlertStatus, failure: Notice | None = None
    ) -> None:
        """Note how an alert ended; an attempt is counted unless it lapsed."""
        await self._update(
            alert,
            "status = %(status)s, settled_at = now(), failure = %(failure)s::jsonb,"
            " attempts = attempts + (%(status)s <> 'lapsed')::int",
            status=status,
            failure=failure and encode(failure),
        )

    async def retry_later(self, alert: DueAlert, seconds: float, failure: Notice) -> None:
        """Note a failed attempt, and when the next one is due."""
        await self._update(
            alert,
            "attempts = attempts + 1, failure = %(failure)s::jsonb,"
            " next_at = now() + make_interval(secs => %(seconds)s)",
            seconds=seconds,
            failure=encode(failure),
        )

    async def postpone(self, alert: DueAlert, due_at: str) -> None:
        """Put off an alert that has not been tried: its deadline was."""
        await self._update(alert, "due_at = %(due)s, next_at = %(due)s", due=due_at)

    async def disable(self, alert: DueAlert, reason: Notice) -> None:
        """Disable the channel of an alert because its receiver refuses further alerts."""
        await self._disable(
            ChannelRef(tenant_id=alert.tenant_id, channel_id=alert.channel_id), reason
        )

    async def _disable(self, channel: ChannelRef, reason: Notice) -> None:
        await self._fetch(
            "UPDATE channels SET disabled = %(reason)s::jsonb"
            " WHERE (tenant_id, id) = (%(tenant)s, %(channel)s)",
            _name(channel) | {"reason": encode(reason)},
        )

    async def queue_test(self, principal: Principal, channel_id: str) -> Delivery:
        """Queue an alert that says that the channel works."""
        found = await self._fetch(
            f"""
            INSERT INTO alerts AS a (tenant_id, channel_id, id, type, facts, at, due_at, next_at)
            SELECT tenant_id, r.id, %(id)s, 'channel.test', '{{}}', now(), now(), now()
            FROM channels r WHERE {VISIBLE} AND r.id = %(channel)s
            RETURNING {DELIVERY}
            """,
            bind(principal) | {"channel": channel_id, "id": f"msg_{secrets.token_hex(16)}"},
        )
        if not found:
            raise NotFound(Problem.at("channel_id", "channel-unknown", channel=channel_id))
        return Delivery.model_validate(found[0])

    async def replay(self, principal: Principal, channel_id: str, alert_id: str) -> Delivery:
        """Queue an alert again under its id, due now."""
        return await self._fetch_delivery(
            f"""
            UPDATE alerts a SET status = 'queued', attempts = 0, next_at = now(), due_at = now(),
                settled_at = NULL
            FROM channels r WHERE {VISIBLE} AND r.id = %(channel)s
                AND (a.tenant_id, a.channel_id, a.id) = (r.tenant_id, r.id, %(alert)s)
            RETURNING {DELIVERY}
            """,
            principal,
            channel_id,
            alert_id,
        )

    async def get_delivery(self, principal: Principal, channel_id: str, alert_id: str) -> Delivery:
        """Return an alert of a channel's log."""
        return await self._fetch_delivery(
            f"""
            SELECT {DELIVERY} FROM alerts a JOIN channels r USING (tenant_id)
            WHERE {VISIBLE} AND r.id = %(channel)s AND (a.channel_id, a.id) = (r.id, %(alert)s)
            """,
            principal,
            channel_id,
            alert_id,
        )

    async def list_log(self, principal: Principal, channel_id: str) -> list[Delivery]:
        """Return a channel's latest alerts, newest first, without those that are not due yet."""
        found = await self._fetch(
            f"""
            SELECT {DELIVERY} FROM alerts a JOIN channels r USING (tenant_id)
            WHERE {VISIBLE} AND r.id = %(channel)s AND a.channel_id = r.id
                AND (a.due_at <= now() OR a.status <> 'queued')
            ORDER BY a.seq DESC LIMIT %(most)s
            """,
            bind(principal) | {"channel": channel_id, "most": LOG_LENGTH},
        )
        return [Delivery.model_validate(row) for row in found]

    async def list_due_channels(self) -> list[ChannelRef]:
        """Return the channels of all tenants that have an alert to send now."""
        found = await self._fetch("SELECT sweep_due_channels()")
        return [ChannelRef(tenant_id=tenant, channel_id=channel) for tenant, channel in found]

    async def remove_old(self) -> None:
        """Remove alerts that were settled more than `LOG_KEPT` ago."""
        for tenant in await self._fetch("SELECT sweep_old_alerts(%(kept)s)", {"kept": LOG_KEPT}):
            await self._fetch(
                "DELETE FROM alerts WHERE tenant_id = %(tenant)s AND settled_at < now() - %(kept)s",
                {"tenant": tenant, "kept": LOG_KEPT},
            )

    async def _fetch_delivery(
        self, query: LiteralString, principal: Principal, channel_id: str, alert_id: str
    ) -> Delivery:
        given = {"channel": channel_id, "alert": alert_id}
        found = await self._fetch(query, bind(principal) | given)
        if not found:
            raise NotFound(Problem.at("alert_id", "alert-unknown", alert=alert_id))
        return Delivery.model_validate(found[0])

    async def _update(self, alert: DueAlert, changes: LiteralString, **values: object) -> None:
        """Change an alert that is still queued: a replay or a removal may have come first."""
        given = {"tenant": alert.tenant_id, "channel": alert.channel_id, "alert": alert.id}
        await self._fetch(
            f"UPDATE alerts SET {changes} WHERE (tenant_id, channel_id, id)"
            " = (%(tenant)s, %(channel)s, %(alert)s) AND status = 'queued'",
            given | values,
        )


def _name_row(tenant_id: str, channel_id: str) -> str:
    """Return the name of a channel's row; its texts are encrypted for it, and cannot be decrypted in another row."""
    return f"{tenant_id}/{channel_id}"


def _name(channel: ChannelRef) -> dict[str, object]:
    return {"tenant": channel.tenant_id, "channel": channel.channel_id}
