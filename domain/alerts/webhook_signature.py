"""The signature of a webhook by Standard Webhooks: the bytes that are signed, and the headers that carry it."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import datetime

from contracts.base import Json


def dump(payload: Json) -> bytes:
    """Return JSON as the bytes that are signed and sent."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()


def sign(secret: str, alert_id: str, now: datetime, body: bytes) -> Mapping[str, str]:
    """Return the headers of Standard Webhooks; receivers accept the signature for five minutes."""
    moment = str(int(now.timestamp()))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = b".".join([alert_id.encode(), moment.encode(), body])
    mac = base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
    return {
        "webhook-id": alert_id,
        "webhook-timestamp": moment,
        "webhook-signature": f"v1,{mac}",
    }
