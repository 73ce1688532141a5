"""Where the next page of runs begins: by the list's own order, so that new runs do not shift it."""

import base64
import json
from typing import Annotated, Literal

from pydantic import AwareDatetime, StringConstraints, TypeAdapter

from contracts.errors import InvalidInput

RUNNING: Literal["infinity"] = "infinity"
PLACE = TypeAdapter(
    tuple[
        Literal["infinity"] | AwareDatetime,
        AwareDatetime,
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]+$")],
    ]
)


def cursor_of(ended_at: str | None, started_at: str, run_id: str) -> str:
    """Return the place right after a run."""
    place = json.dumps([ended_at or RUNNING, started_at, run_id])
    return base64.urlsafe_b64encode(place.encode()).decode()


def after(cursor: str | None) -> dict[str, object]:
    """Return a place as parameters of a query; without a cursor, the list's beginning."""
    if cursor is None:
        return {"ended": None, "started": None, "last": None}
    try:
        ended, started, last = PLACE.validate_json(base64.urlsafe_b64decode(cursor))
    except ValueError as error:
        raise InvalidInput("this cursor is none of ours") from error
    return {"ended": ended, "started": started, "last": last}
