"""`keys` on the command line."""

import re

import pytest

from greenlight.cli import build_parser
from greenlight.errors import CommandError
from greenlight.operator import gateway_keys as access
from tests.support.words import en, pattern


def test_keys_are_added_listed_and_revoked(
    database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", database)

    def typed(*words: str) -> str:
        assert access.keys(build_parser().parse_args(["keys", *words])) == 0
        return capsys.readouterr().out

    assert "no keys" in typed("list")
    token = typed("add", "--user", "ana", "--role", "finance").rstrip("\n")
    assert re.fullmatch(r"gl_\S{40,}", token), "and nothing else: a script takes it as it is"
    key_id = typed("list").split()[0]
    listed = typed("list")
    assert key_id in listed
    assert re.search(r"ana \(finance\)  live  made \S+  never used", listed)
    assert token not in listed
    assert "revoked" in typed("revoke", key_id)
    with pytest.raises(CommandError, match=en("no-such-key", key="key-0")):
        typed("revoke", "key-0")
    with pytest.raises(CommandError, match=f"--user: {pattern('value-name')}"):
        typed("add", "--user", "no name")
