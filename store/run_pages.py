"""The list of runs: its order, and where its next page begins.

A list is read as of the moment of its first page: a run whose end was recorded later stands where
it stood, among those that go on, so that no run is met twice and none is missed.
"""

import base64
import json
from typing import Annotated, Literal, LiteralString

from pydantic import AwareDatetime, StringConstraints, TypeAdapter

from contracts.errors import InvalidInput
from store.postgres.pool import OWN

PLACE = TypeAdapter(
    tuple[
        AwareDatetime,
        Literal["infinity"] | AwareDatetime,
        AwareDatetime,
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]+$")],
    ]
)

MEANT: LiteralString = f"""{OWN}
    AND (%(ticker)s::text IS NULL OR upper(request -> 'inputs' ->> 'ticker') = upper(%(ticker)s))
    AND (%(definition_id)s::text IS NULL OR definition_id = %(definition_id)s)
    AND (%(parent)s::text IS NULL OR request ->> 'from_run' = %(parent)s)
    AND (%(status)s::text IS NULL OR status = %(status)s)
    AND (%(user_id)s::text IS NULL OR user_id = %(user_id)s)"""

AS_OF: LiteralString = "coalesce(%(as_of)s::timestamptz, now())"

LISTED: LiteralString = f"""
    (SELECT r.*, 'infinity'::timestamptz AS place FROM runs r WHERE {MEANT}
        AND (ended_at IS NULL OR end_recorded_at > {AS_OF})
        AND (%(place)s::timestamptz IS NULL OR ('infinity'::timestamptz, started_at, id)
            < (%(place)s::timestamptz, %(started)s::timestamptz, %(last)s))
        ORDER BY started_at DESC, id DESC LIMIT %(limit)s + 1)
    UNION ALL
    (SELECT r.*, ended_at FROM runs r WHERE {MEANT}
        AND ended_at IS NOT NULL AND end_recorded_at <= {AS_OF}
        AND (%(place)s::timestamptz IS NULL OR (coalesce(ended_at, 'infinity'), started_at, id)
            < (%(place)s::timestamptz, %(started)s::timestamptz, %(last)s))
        ORDER BY coalesce(ended_at, 'infinity') DESC, started_at DESC, id DESC
        LIMIT %(limit)s + 1)"""
"""Those that went on at that moment, then those that had ended; enough for a page of each."""


def cursor_of(as_of: str, place: str, started_at: str, run_id: str) -> str:
    """Return the place right after a run, in the list as of that moment."""
    after = json.dumps([as_of, place, started_at, run_id])
    return base64.urlsafe_b64encode(after.encode()).decode()


def after(cursor: str | None) -> dict[str, object]:
    """Return a place as parameters of `LISTED`; without a cursor, the list's beginning as of now."""
    if cursor is None:
        return {"as_of": None, "place": None, "started": None, "last": None}
    try:
        as_of, place, started, last = PLACE.validate_json(base64.urlsafe_b64decode(cursor))
    except ValueError as error:
        raise InvalidInput("this cursor is none of ours") from error
    return {"as_of": as_of, "place": place, "started": started, "last": last}
