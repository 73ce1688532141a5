"""A home that several commands use at once."""

import threading
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from greenlight.errors import CommandError
from greenlight.stack.home import Addresses, Home

ADDRESSES = Addresses(
    gateway="http://127.0.0.1:1",
    temporal="127.0.0.1:2",
    temporal_ui=None,
    database="",
    offline=None,
    library=None,
    home="",
    pids={},
)


class Joining(threading.Thread):
    """A command that joins what runs in a home, and uses it until it is let go."""

    def __init__(self, home: Home) -> None:
        super().__init__(daemon=True)
        self.home = home
        self.found: list[Addresses | None] = []
        self.joined, self.let_go = threading.Event(), threading.Event()
        self.start()

    def run(self) -> None:
        with self.home.join() as running:
            self.found.append(running)
            self.joined.set()
            self.let_go.wait(20)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def test_nothing_is_found_where_nothing_ever_ran(home: Home) -> None:
    with home.join() as running:
        assert running is None


def test_a_stack_that_is_starting_is_waited_for(home: Home) -> None:
    with home.lock():
        other = Joining(home)
        assert not other.joined.wait(0.5)
        home.publish(ADDRESSES)
        assert other.joined.wait(20)
    assert other.found == [ADDRESSES]
    other.let_go.set()


def test_a_start_that_fails_is_not_waited_for(home: Home) -> None:
    with suppress(CommandError), home.lock():
        other = Joining(home)
        assert not other.joined.wait(0.5)
        raise CommandError("no port")
    assert other.joined.wait(20)
    assert other.found == [None]
    other.let_go.set()


def test_a_stack_stops_once_nobody_else_uses_it_and_is_not_joined_while_it_stops(
    home: Home,
) -> None:
    told, left = threading.Event(), threading.Event()

    def leave() -> None:
        with ExitStack() as entered, home.lock():
            home.publish(ADDRESSES)
            entered.enter_context(home.close(told.set))
            left.set()
            late.append(Joining(home))
            assert not late[0].joined.wait(0.5)

    late: list[Joining] = []
    home.path.mkdir()
    other = Joining(home)
    assert other.joined.wait(20)
    leaving = threading.Thread(target=leave, daemon=True)
    leaving.start()
    assert told.wait(20)
    assert not left.wait(0.5)
    other.let_go.set()
    leaving.join(20)
    assert left.is_set()
    assert late[0].joined.wait(20)
    assert late[0].found == [None]
    late[0].let_go.set()
