"""The command line on the real stack."""

import asyncio
import functools
from collections.abc import Awaitable, Callable

import pytest

from tests.greenlight.terminal.conftest import CommandLine, CommandOutput
from tests.support.stack import Whole

TypeIn = Callable[..., Awaitable[CommandOutput]]


@pytest.fixture
def type_in(
    whole: Whole, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> TypeIn:
    """The command line in this process, which has loaded everything; nobody is at the keyboard."""
    monkeypatch.setenv("GREENLIGHT_HOME", whole.stack.addresses.home)
    return functools.partial(asyncio.to_thread, CommandLine(capsys))
