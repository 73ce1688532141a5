"""The audit log over HTTP and in the terminal: who may read it, and that it names who decided."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from contracts.access.principal import Principal
from greenlight.cli import run_command
from store.access.access_keys import KeyRepository
from tests.api.access.conftest import sign_in
from tests.api.conftest import Site
from tests.support.databases import fetch_as_owner
from tests.support.documents import BLOCKS


async def test_admin_reads_who_decided_and_nobody_else_does(
    site: Site, keys: KeyRepository
) -> None:
    async with AsyncExitStack() as stack:
        ana = await sign_in(site, keys, "acme", "ana", stack)
        boss = await sign_in(site, keys, "acme", "boss", stack, "admin")
        other = await sign_in(site, keys, "evil", "eve", stack, "admin")
        run = (await ana.complete()).rpartition("/")[2]
        shared = await ana.post(f"/v1/runs/{run}/share-links", {})
        assert shared.status_code == 201
        for site_of, code in ((ana, "key-reads-no-audit"), (site, "key-needed")):
            refused = await site_of.get("/v1/audit")
            assert (refused.status_code in {401, 403}, refused.json()["code"]) == (True, code)
        page = (await boss.get("/v1/audit")).json()
        [made] = [
            key for key in await keys.list(Principal(tenant_id="acme")) if key.user_id == "ana"
        ]
        of_run = [
            (entry["actor"], entry["key_id"], entry["action"])
            for entry in page["items"]
            if entry["object"] == run
        ]
        assert of_run == [
            ("ana", made.id, "run.started"),
            ("ana", made.id, "run.answered"),
            ("ana", made.id, "run.decided"),
        ]
        [decided] = [entry for entry in page["items"] if entry["action"] == "run.decided"]
        assert decided["details"]["action"] == "approve"
        assert len(decided["details"]["plan_hash"]) == 64
        assert page["items"][-1]["action"] == "link.made"
        assert (page["last_seq"], page["head"]) == (len(page["items"]), page["items"][-1]["hash"])
        later = (await boss.get("/v1/audit", after=page["last_seq"] - 1, limit=5)).json()
        assert later["items"] == page["items"][-1:]
        theirs = (await other.get("/v1/audit")).json()["items"]
        assert {entry["actor"] for entry in theirs} == {"eve"}


async def test_foreign_text_forges_no_line_in_the_terminal(
    database: str,
    keys: KeyRepository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A role may come from an identity provider, or was kept by a version that took any."""
    monkeypatch.setenv("DATABASE_URL", database)
    role = "x\n7  2026-11-27T09:00:00Z  boss (key-1)  run.decided  run-1  action=approve\x1b[8m"
    await keys.create(Principal(tenant_id="forged", user_id="eve", role=role))
    for words in (["audit", "list"], ["keys", "list"]):
        assert await asyncio.to_thread(run_command, [*words, "--tenant", "forged"]) == 0
        [line] = capsys.readouterr().out.splitlines()
        assert r"x\n7  2026" in line
        assert r"\x1b[8m" in line
        assert line.isprintable()


async def test_terminal_lists_and_verifies_it(
    database: str,
    keys: KeyRepository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DATABASE_URL", database)
    tenant = Principal(tenant_id="told")
    made, _ = await keys.create(tenant.model_copy(update={"user_id": "ana"}), maker=tenant)
    await keys.revoke(made.principal, made.id)

    async def run(action: str, *options: str) -> tuple[int, str]:
        """Run a command of docs/identity.md, for this tenant."""
        shown = f"greenlight audit {action} --tenant acme"
        [page] = [b.text for b in BLOCKS if b.page == "docs/identity.md" and b.language == "sh"]
        assert shown in page
        words = [*shown.split()[1:-1], "told", *options]
        code = await asyncio.to_thread(run_command, words)
        return code, capsys.readouterr().out

    _, listed = await run("list")
    first, last = listed.splitlines()
    assert first.startswith("1  ")
    assert first.endswith(f"-  key.made  {made.id}  scope=decide user_id=ana")
    assert f"ana ({made.id})  key.revoked  {made.id}" in last
    code, told = await run("verify")
    head = told.split()[-1]
    assert (code, told) == (0, f"told: 2 entries, head {head}\n")
    assert (await run("verify", "--expect", head))[0] == 0
    code, told = await run("verify", "--expect", "0" * 64)
    assert (code, "unexpected" in told) == (1, True)
    await fetch_as_owner(database, "DELETE FROM audit_log WHERE tenant_id = 'told' AND seq = 2")
    code, told = await run("verify", "--expect", head)
    assert (code, told.splitlines()[1:]) == (1, ["  0: unexpected", "  1: cut"])
