"""SQL conditions that restrict a caller to the rows they may see."""

import json
from typing import LiteralString

from contracts.access.principal import Principal

VISIBLE: LiteralString = (
    "r.tenant_id = %(tenant)s AND (%(user)s::text IS NULL OR r.user_id = %(user)s)"
)
"""Matches the rows of table `r` that a principal may see."""

VISIBLE_RUN: LiteralString = f"{VISIBLE} AND r.id = %(run)s"
"""One run, if the principal may see it."""


def bind(principal: Principal, run_id: str | None = None) -> dict[str, object]:
    """Return the parameters of `VISIBLE` and `VISIBLE_RUN`, and the actor for the audit log."""
    return {
        "tenant": principal.tenant_id,
        "user": principal.user_id,
        "run": run_id,
        "actor": name_actor(principal),
    }


def name_actor(principal: Principal) -> str:
    """Serialize the acting user and key as JSON, for the audit log."""
    return json.dumps({"user": principal.user_id, "key": principal.key_id})
