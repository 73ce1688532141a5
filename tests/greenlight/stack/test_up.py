"""What `up` prints, and what it and `migrate` refuse: another version's schema, mistyped models."""

import asyncio
import json
from argparse import Namespace
from contextlib import suppress

import pytest

from contracts.access.principal import Principal
from contracts.definitions import DefinitionBody
from contracts.errors import Conflict
from greenlight.cli import run_command
from greenlight.errors import CommandError
from greenlight.stack.database import migrate
from greenlight.stack.home import Addresses, Home
from greenlight.stack.up import format_addresses, hide_secrets
from settings import Settings
from store.definitions import DefinitionRepository
from store.postgres.pool import Pool
from tests.conftest import Postgres
from tests.support.databases import as_owner, fetch_as_owner
from tests.support.words import pattern


def set_addresses(monkeypatch: pytest.MonkeyPatch, dsn: str) -> None:
    monkeypatch.setenv("DATABASE_URL", dsn)
    monkeypatch.setenv("DATABASE_OWNER_URL", as_owner(dsn))


ADDRESSES = Addresses(
    gateway="http://127.0.0.1:8460",
    temporal="127.0.0.1:7233",
    temporal_ui=None,
    database="postgresql://greenlight:s3cret@127.0.0.1:5433/greenlight",
    offline=None,
    library=None,
    home="/home/ada/.greenlight",
    pids={},
)


def test_the_password_of_the_database_is_not_printed() -> None:
    printed = format_addresses(ADDRESSES)
    assert "s3cret" not in printed
    assert "postgresql://greenlight@127.0.0.1:5433/greenlight" in printed
    assert "/home/ada/.greenlight/stack.json" in printed


@pytest.mark.parametrize(
    ("database", "shown"),
    [
        ("postgresql://ada:s3cret@db:5433/one", "postgresql://ada@db:5433/one"),
        ("postgresql://ada:a:s3cret%40@db/one?a=b", "postgresql://ada@db/one?a=b"),
        ("postgresql://db/one?user=ada&password=s3cret", "postgresql://db/one?user=ada"),
        ("postgresql://ada@db/one", "postgresql://ada@db/one"),
        ("host=db user=ada password='a s3cret'", "user=ada host=db"),
    ],
)
def test_what_up_prints_as_json_has_no_secret(database: str, shown: str) -> None:
    services = {"model": "http://127.0.0.1:1", "requests": "http://127.0.0.1:1/requests?key=s3cret"}
    printed = hide_secrets(ADDRESSES.model_copy(update={"database": database, "offline": services}))
    assert "s3cret" not in printed.model_dump_json()
    assert printed.database == shown
    assert printed.offline == {
        "model": services["model"],
        "requests": "http://127.0.0.1:1/requests",
    }


def test_help_of_up_names_the_port_the_home_and_how_they_are_changed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GREENLIGHT_HOME", raising=False)
    with pytest.raises(SystemExit):
        run_command(["up", "--help"])
    told = capsys.readouterr().out
    port = Settings.model_fields["greenlight_port"].default
    assert f"{port}" in told
    assert Home.from_environment().path.name in told
    assert {"GREENLIGHT_PORT", "GREENLIGHT_HOME"} <= {*told.split()}


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        (
            "GREENLIGHT_MODELS",
            {"jugde": "claude-haiku-4-5"},
            "GREENLIGHT_MODELS.jugde: .*judge.* analyst, .*vetter",
        ),
        (
            "GREENLIGHT_MODELS",
            {"zzz": "claude-haiku-4-5"},
            "GREENLIGHT_MODELS.zzz: .* analyst, .*vetter",
        ),
        (
            "GREENLIGHT_MODELS",
            {"judge": "claude-haiku-5.5"},
            "GREENLIGHT_MODELS.judge: .*“claude-haiku-5-5”",
        ),
        (
            "GREENLIGHT_SERVERS",
            {"claude-haiku-55": {"url": "http://127.0.0.1:1"}},
            "GREENLIGHT_SERVERS.claude-haiku-55: .*“claude-haiku-5-5”",
        ),
        ("GREENLIGHT_MODELS", {"vetter": "claude-haiku-4-5", "judge": "claude-haiku-5-5"}, ""),
    ],
)
async def test_role_or_model_that_is_mistyped_is_refused_with_the_nearest_and_all_roles(
    database: str, monkeypatch: pytest.MonkeyPatch, name: str, value: object, told: str
) -> None:
    """The agents of a crew that somebody saved are roles too."""
    set_addresses(monkeypatch, database)
    monkeypatch.setenv(name, json.dumps(value))
    task = {"id": "vet", "agent": "vetter", "description": "d", "expected_output": "e"}
    vetter = {"id": "vetter", "role": "Vetter", "goal": "g", "works_as": "strategist"}
    crew = {"kind": "crew", "config": {"agents": [vetter], "tasks": [task]}}
    body = DefinitionBody.model_validate({"id": "vetting", "phases": [crew]})
    async with Pool(database) as pool:
        with suppress(Conflict):
            await DefinitionRepository(pool, {}).create(Principal(), body)
    if not told:
        assert await asyncio.to_thread(migrate, Namespace()) == 0
        return
    with pytest.raises(CommandError, match=told):
        await asyncio.to_thread(migrate, Namespace())


async def test_model_that_ends_is_warned_about_and_runs_all_the_same(
    database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    set_addresses(monkeypatch, database)
    monkeypatch.setenv("GREENLIGHT_MODELS", '{"judge": "claude-sonnet-4-5"}')
    assert await asyncio.to_thread(migrate, Namespace()) == 0
    told = capsys.readouterr().err
    assert "“claude-sonnet-4-5”" in told
    assert "2026-11-30" in told
    monkeypatch.setenv("GREENLIGHT_MODELS", '{"judge": "claude-haiku-5-5"}')
    assert await asyncio.to_thread(migrate, Namespace()) == 0
    assert "claude" not in capsys.readouterr().err


async def test_schema_of_another_version_ends_migrate_with_what_to_do(
    postgres: Postgres, template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dsn = await postgres.database(template)
    set_addresses(monkeypatch, dsn)
    async with Pool(dsn) as pool:
        await fetch_as_owner(pool, "UPDATE migrations SET digest = 'another'")
    with pytest.raises(CommandError, match=pattern("schema-other")):
        await asyncio.to_thread(migrate, Namespace())
