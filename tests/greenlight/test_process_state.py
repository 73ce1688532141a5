"""A test that leaves the process changed fails, and its message says what it left."""

import asyncio
import logging
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.process_state import kept_state, make_executor

CHANGES: dict[str, Callable[[Path], object]] = {
    "working directory": os.chdir,
    "$LEFT": lambda _: os.environ.update(LEFT="1"),
    "handler of SIGUSR2": lambda _: signal.signal(signal.SIGUSR2, signal.SIG_IGN),
    "level of logs": lambda _: logging.disable(logging.CRITICAL),
    "handlers of logs": lambda _: logging.getLogger().addHandler(logging.NullHandler()),
}


@pytest.fixture
def undone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the changes undone at the end."""
    monkeypatch.chdir(Path.cwd())
    monkeypatch.setenv("LEFT", "")
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [*root.handlers])
    monkeypatch.setattr(root.manager, "disable", root.manager.disable)


@pytest.mark.parametrize("changed", CHANGES)
def test_what_is_left_changed_is_named(undone: None, tmp_path: Path, changed: str) -> None:
    former = signal.getsignal(signal.SIGUSR2)
    try:
        with (
            pytest.raises(AssertionError, match=rf"follow: {changed.replace('$', '[$]')}\b"),
            kept_state(None),
        ):
            CHANGES[changed](tmp_path)
    finally:
        signal.signal(signal.SIGUSR2, former)


async def test_executor_that_is_left_is_named() -> None:
    loop = await make_executor()
    own = loop._default_executor  # type: ignore[attr-defined]
    with ThreadPoolExecutor() as other:
        try:
            with pytest.raises(AssertionError, match="follow: executor"), kept_state(loop):
                loop.set_default_executor(other)
        finally:
            loop._default_executor = own  # type: ignore[attr-defined]


async def test_each_test_is_checked(request: pytest.FixtureRequest) -> None:
    with kept_state(asyncio.get_running_loop()):
        await asyncio.to_thread(int)
    assert "_process_is_left_as_it_was" in request.fixturenames
