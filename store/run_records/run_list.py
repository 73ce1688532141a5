"""The list of runs: its filters, its order, and cursors into it.

A list is read as of the moment of its first page: a run that has ended since is listed among the
running ones, where it was, so that no page repeats it and none leaves it out.
"""

import base64
import json
from collections.abc import Mapping
from typing import Annotated, Literal, LiteralString

from pydantic import AwareDatetime, StringConstraints, TypeAdapter

from contracts.errors import InvalidInput
from contracts.notices import Notice

CURSOR = TypeAdapter(
    tuple[
        AwareDatetime,
        Literal["infinity"] | AwareDatetime,
        AwareDatetime,
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]+$")],
    ]
)

CONDITIONS: Mapping[str, LiteralString] = {
    "tenant": "tenant_id = %(tenant)s",
    "user": "user_id = %(user)s",
    "ticker": "id = ANY(ARRAY(SELECT find_ticker_runs(%(tenant)s, %(ticker)s)))",
    "definition_id": "definition_id = %(definition_id)s",
    "parent": "parent_id = %(parent)s",
    "status": "status = %(status)s",
    "user_id": "user_id = %(user_id)s",
    "id_prefix": "(starts_with(id, %(id_prefix)s) OR starts_with(id, 'run-' || %(id_prefix)s))",
    "hidden": "definition_id <> %(hidden)s",
    "text": "strpos(lower(request ->> 'query'), lower(%(text)s)) > 0",
}
"""Conditions by parameter; a query contains only those of the given parameters.

All but the last three have an index.
"""

AS_OF: LiteralString = "(SELECT coalesce(%(as_of)s::timestamptz, now()))"
"""A subquery: under row-level security, PostgreSQL uses no index for a condition with an expression that may leak."""
AFTER: LiteralString = "(%(place)s::timestamptz, %(started)s::timestamptz, %(last)s)"

PARTS: list[tuple[LiteralString, LiteralString]] = [
    ("list_order = 'infinity'", "list_order"),
    (f"list_order > {AS_OF} AND list_order < 'infinity'", "'infinity'::timestamptz"),
    (f"list_order <= {AS_OF}", "list_order"),
]
"""Runs that are running, that were as of the list's moment, and that had ended; with their place."""


def select_page(given: Mapping[str, object]) -> LiteralString:
    """Return the query for the rows of a page and one more, each with its `place` in the list."""
    filters: LiteralString = " AND ".join(
        condition for name, condition in CONDITIONS.items() if given.get(name) is not None
    )
    return " UNION ALL ".join(
        f"""(SELECT *, {place} AS place FROM runs
            WHERE {filters} AND {part}{f" AND ({place}, started_at, id) < {AFTER}" if given["last"] else ""}
            ORDER BY {place} DESC, started_at DESC, id DESC LIMIT %(limit)s + 1)"""
        for part, place in PARTS
    )


def encode_cursor(as_of: str, place: str, started_at: str, run_id: str) -> str:
    """Return the cursor that points directly after a run."""
    after = json.dumps([as_of, place, started_at, run_id])
    return base64.urlsafe_b64encode(after.encode()).decode()


def decode_cursor(cursor: str | None) -> dict[str, object]:
    """Return the parameters of a cursor; None means the first page as of now."""
    if cursor is None:
        return {"as_of": None, "place": None, "started": None, "last": None}
    try:
        as_of, place, started, last = CURSOR.validate_json(base64.urlsafe_b64decode(cursor))
    except ValueError as error:
        raise InvalidInput(Notice.of("cursor-unknown")) from error
    return {"as_of": as_of, "place": place, "started": started, "last": last}
