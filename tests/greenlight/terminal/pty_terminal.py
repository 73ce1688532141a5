"""A person at the keyboard: a real terminal, typed into key by key."""

import codecs
import os
import pty
import re
import select
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from greenlight import cli

ROOT = Path(__file__).parents[3]
STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x1b]*\x1b\\|\r")
CTRL_C = "\x03"
PATIENCE = 20.0


def _run_command_line(words: Sequence[str]) -> NoReturn:
    """Run the command line as this process, a fork that has imported it: a program takes 0.7 s to do so."""
    code: object = 1
    try:
        signal.signal(
            signal.SIGINT, signal.default_int_handler
        )  # tests in the background ignore it
        sys.stdin, sys.stdout, sys.stderr = (
            open(fd, mode, encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
            for fd, mode in enumerate(("r", "w", "w"))
        )
        sys.argv[1:] = words
        cli.main()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        os._exit(code if isinstance(code, int) else 1)


class Terminal:
    """The command line on a terminal of its own."""

    def __init__(self, *words: str, columns: int = 100) -> None:
        self.seen = ""
        self._read_up_to = 0
        # Ctrl-C drops what waits to be read, also from the middle of a character
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.environ |= {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
            os.environ["COLUMNS"] = str(columns)
            _run_command_line(words)

    def expect(self, text: str) -> None:
        """Read until the text appears, after all that was expected before."""
        deadline = time.monotonic() + PATIENCE
        while (at := self.seen.find(text, self._read_up_to)) < 0:
            assert time.monotonic() < deadline, f"no {text!r} in:\n{self.seen}"
            assert self._read(), f"ended without {text!r}:\n{self.seen}"
        self._read_up_to = at + len(text)

    def leave(self, says: str) -> None:
        """Press Ctrl-C until it has an effect, because CPython misses it between a prompt and its read."""
        for _ in range(5):
            self.type(CTRL_C, end="")
            until = time.monotonic() + 2
            while (left := until - time.monotonic()) > 0 and self._read(left):
                if says in self.seen[self._read_up_to :]:
                    return
        raise AssertionError(f"Ctrl-C was not heard:\n{self.seen}")

    def type(self, text: str, end: str = "\n") -> None:
        os.write(self._fd, (text + end).encode())

    def exit_code(self) -> int:
        """Read to the end."""
        while self._read():
            pass
        status = os.waitpid(self.pid, 0)[1]
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def _read(self, seconds: float = PATIENCE) -> bool:
        if not select.select([self._fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # how Linux says that the other side is closed
            return False
        self.seen = STYLE.sub("", self.seen + self._decoder.decode(data))
        return bool(data)

    def close(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)
