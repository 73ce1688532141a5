"""Runs that are to go: deleted, or asked for as temporary."""

from greenlight.bootstrap import COMMAND
from tests.greenlight.terminal.conftest import CommandLine
from tests.greenlight.terminal.fake_gateway import FakeGateway
from tests.greenlight.terminal.pty_terminal import Terminal
from tests.greenlight.terminal.samples import RUN
from tests.support.words import en, opening, phrase


def test_a_run_that_has_ended_is_deleted(gateway: FakeGateway, type_in: CommandLine) -> None:
    gateway._end("completed")
    said = type_in("delete", RUN)
    assert (said.code, said.out) == (0, f"{en('cli-removed')}\n")
    assert gateway.heard == [{"deleted": RUN}]


def test_a_person_is_asked_before_a_run_is_removed(
    gateway: FakeGateway, terminal: type[Terminal]
) -> None:
    gateway._end("completed")
    here = terminal("delete", RUN)
    here.expect(opening("cli-remove", "query", run=RUN, query="Which of Kenya"))
    here.type("n")
    here.expect(en("cli-kept"))
    assert (here.exit_code(), gateway.heard) == (0, [])
    here = terminal("delete", RUN)
    here.expect(phrase("cli-confirm"))
    here.type("y")
    assert (here.exit_code(), gateway.heard) == (0, [{"deleted": RUN}])


def test_live_run_is_not_removed(gateway: FakeGateway, type_in: CommandLine) -> None:
    gateway.begin()
    said = type_in("delete", RUN)
    assert (said.code, gateway.heard) == (1, [])
    told = en("cli-cancel-first", status=en("status-waiting"), command=f"{COMMAND} cancel {RUN}")
    assert said.err == f"greenlight: {told}\n"
