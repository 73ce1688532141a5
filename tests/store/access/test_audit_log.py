"""The audit log: what triggers write into it, and what a change of it by hand leaves to be found."""

import asyncio
import logging
from typing import Any, LiteralString

import pytest

from contracts.access.audit import AuditCheck, AuditEntry
from contracts.access.budgets import BudgetBody
from contracts.access.principal import Principal
from contracts.definitions import DefinitionBody
from contracts.human.checkpoints import Decision
from contracts.runs.events import AnsweredEvent, CancelledEvent, DecidedEvent, build_event
from contracts.runs.schedules import KeptSchedule
from store.access.access_keys import KeyRepository
from store.access.audit_log_reader import AuditRepository
from store.calls.budgets import BudgetRepository
from store.definitions import DefinitionRepository
from store.postgres.pool import Pool
from store.run_records.event_log import EventRepository
from store.run_records.removals import RemovalRepository
from store.run_records.runs import RunRepository
from store.schedules import ScheduleRepository
from tests.store.samples import START, opened, started
from tests.support.databases import fetch_as_owner


def caller(tenant: str) -> Principal:
    return Principal(tenant_id=tenant, user_id="ana", key_id="key-1")


async def read(pool: Pool, tenant: str, after: int = 0) -> list[AuditEntry]:
    return (await AuditRepository(pool).list(Principal(tenant_id=tenant), after, 1000)).items


async def verify(pool: Pool, tenant: str, expected: str = "") -> AuditCheck:
    return await AuditRepository(pool).verify(Principal(tenant_id=tenant), expected)


def tell(entries: list[AuditEntry]) -> list[tuple[str, str | None, str, str]]:
    return [(entry.actor, entry.key_id, entry.action, entry.object) for entry in entries]


async def test_keys_and_links_are_logged_with_who_made_and_revoked_them(pool: Pool) -> None:
    keys, tenant = KeyRepository(pool), "of-keys"
    operator = Principal(tenant_id=tenant)
    holder = Principal(tenant_id=tenant, user_id="ana", role="finance")
    first, _ = await keys.create(holder, maker=operator)
    link, _ = await keys.create(first.principal, run_id="r1")
    await keys.create_session(first, 1)
    await keys.authenticate("gl_unknown")
    await keys.revoke(operator, first.id)
    await keys.revoke(operator, first.id)
    entries = await read(pool, tenant)
    assert tell(entries) == [
        ("", None, "key.made", first.id),
        ("ana", first.id, "link.made", link.id),
        ("", None, "key.revoked", first.id),
        ("", None, "link.revoked", link.id),
    ] or tell(entries)[2:] == [
        ("", None, "link.revoked", link.id),
        ("", None, "key.revoked", first.id),
    ]
    assert entries[0].details == {"user_id": "ana", "role": "finance", "scope": "decide"}
    assert entries[1].details["run_id"] == "r1"
    assert (await verify(pool, tenant)).faults == []


CHANGED: dict[LiteralString, list[str]] = {
    "UPDATE api_keys SET scope = 'admin' WHERE id = %(key)s": ["key.changed"],
    "UPDATE api_keys SET user_id = 'boss' WHERE id = %(key)s": ["key.changed"],
    "UPDATE api_keys SET role = 'finance' WHERE id = %(key)s": ["key.changed"],
    "UPDATE api_keys SET hash = '\\x01' WHERE id = %(key)s": ["key.changed"],
    "UPDATE api_keys SET expires_at = now() WHERE id = %(key)s": ["key.changed"],
    "UPDATE api_keys SET revoked_at = NULL WHERE id = %(revoked)s": ["key.changed"],
    "UPDATE api_keys SET last_used_at = now() WHERE id = %(key)s": [],
    "DELETE FROM api_keys WHERE id = %(key)s": ["key.removed"],
    "UPDATE api_keys SET kind = 'key' WHERE kind = 'session' AND tenant_id = %(tenant)s": [
        "key.changed"
    ],
    "UPDATE api_keys SET kind = 'session' WHERE id = %(key)s": ["session.changed"],
    "UPDATE api_keys SET scope = 'admin' WHERE kind = 'session'": ["session.changed"],
    "DELETE FROM api_keys WHERE kind = 'session'": [],
    """
    INSERT INTO api_keys (tenant_id, id, user_id, prefix, hash, kind, scope, parent_id)
    VALUES (%(tenant)s, 'key-x', 'ana', 'gl_', '\\x01', 'session', 'admin', %(key)s)
    """: ["session.made"],
}


@pytest.mark.parametrize("statement", CHANGED)
async def test_no_key_comes_into_being_or_changes_without_an_entry(
    pool: Pool, statement: LiteralString
) -> None:
    """Sessions with only the rights of their key are not logged, because each sign-in creates one."""
    await fetch_as_owner(pool, "DELETE FROM api_keys")
    await fetch_as_owner(pool, "TRUNCATE audit_log, audit_heads")
    keys, tenant = KeyRepository(pool), "of-changes"
    holder = Principal(tenant_id=tenant, user_id="ana")
    key, _ = await keys.create(holder)
    await keys.create_session(key, 1)
    revoked, _ = await keys.create(holder)
    await keys.revoke(holder, revoked.id)
    before = len(await read(pool, tenant))
    assert before == 3
    await pool.fetch(statement, {"tenant": tenant, "key": key.id, "revoked": revoked.id})
    told = [entry.action for entry in await read(pool, tenant, before)]
    assert told == CHANGED[statement]


async def test_what_humans_decide_in_a_run_is_logged_without_what_it_is_about(pool: Pool) -> None:
    tenant, secret = "of-runs", "Project Nightjar"
    who = caller(tenant)
    request = started("audited", tenant_id=tenant, user_id="ana", query=secret)
    await RunRepository(pool).create(request, opened())
    decision = Decision(
        checkpoint_id="c1",
        phase_id="approval",
        action="approve",
        plan_hash="abc",
        feedback=secret,
        cap_usd=2.5,
        by="ben",
        at=START,
    )
    told: list[Any] = [
        AnsweredEvent(by="ana", checkpoint_id="c0", answers={"q": secret}),
        DecidedEvent(**decision.model_dump(), key_id="key-2"),
        CancelledEvent(by="ana", cancel=secret),
    ]
    events = [build_event(payload, f"e{n}", START) for n, payload in enumerate(told)]
    for _ in range(2):  # a retry
        await EventRepository(pool).append(tenant, "audited", events)
    await RemovalRepository(pool).remove(who, "audited", lost=True)
    entries = await read(pool, tenant)
    assert [(entry.actor, entry.key_id, entry.action) for entry in entries] == [
        ("ana", None, "run.started"),
        ("ana", None, "run.answered"),
        ("ben", "key-2", "run.decided"),
        ("ana", None, "run.cancelled"),
        ("ana", "key-1", "run.removed"),
    ]
    assert entries[2].details == {
        "checkpoint_id": "c1",
        "phase_id": "approval",
        "action": "approve",
        "plan_hash": "abc",
        "cap_usd": 2.5,
    }
    assert {entry.object for entry in entries} == {"audited"}
    assert secret not in "".join(entry.model_dump_json() for entry in entries)
    assert entries[-1].key_id == "key-1"


async def test_settings_are_logged(pool: Pool) -> None:
    tenant = "of-settings"
    who = caller(tenant)
    budgets = BudgetRepository(pool)
    await budgets.put(who, "user", "ben", BudgetBody(day_usd=3))
    await budgets.put(who, "user", "ben", BudgetBody(day_usd=4))
    await budgets.delete(who, "user", "ben")
    body = DefinitionBody.model_validate({"id": "own", "phases": [{"kind": "planning"}]})
    definitions = DefinitionRepository(pool, {})
    made = await definitions.create(who, body)
    await definitions.set_default(who, "own")
    await definitions.delete(who, made, force=False)
    schedules = ScheduleRepository(pool)
    kept = KeptSchedule(from_run="r", time="09:00", id="s1", user_id="ana", query="q")
    await schedules.create(who, kept)
    for paused in (True, False):
        await AuditRepository(pool).note_pause(who, "s1", paused=paused)
    await schedules.delete(who, "s1")
    await AuditRepository(pool).note_pause(who, "s1", paused=True)  # this schedule no longer exists
    entries = await read(pool, tenant)
    assert [(entry.action, entry.object) for entry in entries] == [
        ("budget.made", "ben"),
        ("budget.changed", "ben"),
        ("budget.removed", "ben"),
        ("definition.made", "own"),
        ("default.made", "own"),
        ("definition.changed", "own"),
        ("schedule.made", "s1"),
        ("schedule.paused", "s1"),
        ("schedule.resumed", "s1"),
        ("schedule.removed", "s1"),
    ]
    assert {(entry.actor, entry.key_id) for entry in entries} == {("ana", "key-1")}
    assert entries[1].details["day_usd"] == 4
    assert entries[5].details["deleted"] is True


async def test_what_is_not_done_is_not_logged(pool: Pool) -> None:
    """An entry belongs to the transaction that it reports: if one fails, so does the other."""
    tenant = "of-failures"
    with pytest.raises(Exception, match="division by zero"):
        await pool.fetch(
            """
            WITH made AS (INSERT INTO budgets (tenant_id, kind, holder, day_usd, set_by)
                VALUES (%(tenant)s, 'user', 'ana', 1, '') RETURNING day_usd)
            SELECT 1 / (day_usd - 1) FROM made
            """,
            {"tenant": tenant},
        )
    assert await read(pool, tenant) == []


ALTERED: dict[str, tuple[LiteralString, list[tuple[int, str]]]] = {
    "changed": ("UPDATE audit_log SET actor = 'eve' WHERE seq = 2", [(2, "changed")]),
    "details changed": (
        """UPDATE audit_log SET details = details || '{"day_usd": 9}' WHERE seq = 2""",
        [(2, "changed")],
    ),
    "time changed": (
        "UPDATE audit_log SET at = at + interval '1 microsecond' WHERE seq = 2",
        [(2, "changed")],
    ),
    "removed": ("DELETE FROM audit_log WHERE seq = 2", [(3, "missing")]),
    "first removed": ("DELETE FROM audit_log WHERE seq = 1", [(2, "missing")]),
    "reordered": (
        "UPDATE audit_log SET seq = -seq WHERE seq IN (2, 3);"
        " UPDATE audit_log SET seq = 5 + seq WHERE seq < 0",
        [(2, "changed"), (3, "changed"), (4, "changed")],
    ),
    "inserted": (
        "UPDATE audit_log SET seq = -seq WHERE seq >= 3;"
        " UPDATE audit_log SET seq = 1 - seq WHERE seq < 0;"
        " INSERT INTO audit_log SELECT tenant_id, 3, at, actor, key_id, action, object, details, hash"
        " FROM audit_log WHERE seq = 2",
        [(3, "changed"), (4, "changed"), (5, "changed"), (5, "cut")],
    ),
    "cut": ("DELETE FROM audit_log WHERE seq >= 3", [(2, "cut")]),
    "all removed": ("DELETE FROM audit_log", [(0, "cut")]),
    "head cut too": (
        "DELETE FROM audit_log WHERE seq >= 3; UPDATE audit_heads SET (seq, hash) ="
        " (SELECT seq, hash FROM audit_log WHERE seq = 2)",
        [(0, "unexpected")],
    ),
    "everything removed": (
        "DELETE FROM audit_log; DELETE FROM audit_heads",
        [(0, "unexpected")],
    ),
    "rewritten": (
        "UPDATE audit_log SET actor = 'eve' WHERE seq = 2;"
        " DO $$ DECLARE before bytea := ''; entry audit_log; BEGIN"
        " FOR entry IN SELECT * FROM audit_log ORDER BY seq LOOP before := hash_audit(before, entry);"
        " UPDATE audit_log SET hash = before WHERE seq = entry.seq; END LOOP;"
        " UPDATE audit_heads SET hash = before; END $$",
        [(0, "unexpected")],
    ),
}


@pytest.mark.parametrize(("alter", "faults"), ALTERED.values(), ids=ALTERED)
async def test_log_that_was_altered_by_hand_is_found(
    pool: Pool, alter: LiteralString, faults: list[tuple[int, str]]
) -> None:
    """What leaves no trace in the chain is found by a head that was kept elsewhere."""
    await fetch_as_owner(pool, "TRUNCATE audit_log, audit_heads, budgets")
    budgets, tenant = BudgetRepository(pool), "altered"
    for usd in range(1, 5):
        await budgets.put(caller(tenant), "user", "ana", BudgetBody(day_usd=usd))
    whole = await verify(pool, tenant)
    assert (whole.entries, whole.faults) == (4, [])
    assert (await verify(pool, tenant, whole.head)).faults == []
    for statement in [alter] if "$$" in alter else alter.split("; "):
        await fetch_as_owner(pool, statement)
    found = await verify(pool, tenant, whole.head if faults[0][1] == "unexpected" else "")
    assert [(fault.seq, fault.fault) for fault in found.faults] == faults


async def test_head_of_before_is_in_a_log_that_has_grown(pool: Pool) -> None:
    budgets, who = BudgetRepository(pool), caller("grown")
    await budgets.put(who, "tenant", "", BudgetBody(day_usd=1))
    before = (await verify(pool, "grown")).head
    await budgets.put(who, "tenant", "", BudgetBody(day_usd=2))
    assert (await verify(pool, "grown", before)).faults == []
    assert (await verify(pool, "grown", "0" * 64)).faults[0].fault == "unexpected"


async def test_ends_are_logged_once_they_have_grown(
    pool: Pool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "greenlight.audit")
    audit = AuditRepository(pool)
    await KeyRepository(pool).create(Principal(tenant_id="logged", user_id="ana"))
    await audit.log_heads()
    head = (await verify(pool, "logged")).head
    assert f"audit log of logged ends at 1, {head}" in caplog.text
    caplog.clear()
    await audit.log_heads()
    assert caplog.text == ""


async def test_many_at_once_make_one_chain_without_gaps(pool: Pool) -> None:
    keys, budgets, who = KeyRepository(pool), BudgetRepository(pool), caller("busy")
    made = [keys.create(who.model_copy(update={"key_id": None})) for _ in range(40)]
    noted = [budgets.put(who, "user", f"u{n}", BudgetBody(day_usd=1)) for n in range(40)]
    await asyncio.gather(*made, *noted)
    check = await verify(pool, "busy")
    assert (check.entries, check.faults) == (80, [])
