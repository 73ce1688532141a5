"""The home that commands share."""

import time
from pathlib import Path
from threading import Event, Thread

from greenlight.stack.home import Home


def test_stack_waits_for_the_commands_that_use_it(tmp_path: Path) -> None:
    home, told = Home(tmp_path), Event()
    home.await_users(told.set)
    assert not told.is_set()
    owner = Thread(target=home.await_users, args=[told.set])
    with home.use():
        owner.start()
        assert told.wait(10)
        time.sleep(0.1)
        assert owner.is_alive()
    owner.join(10)
    assert not owner.is_alive()
