"""Home of a stack: the directory of its state, and the addresses of the stack running in it."""

import fcntl
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from greenlight.bootstrap import COMMAND, IS_CLONE, ROOT
from greenlight.errors import CommandError, Occupied, Unreachable

POLL_SECONDS = 0.1


class Addresses(BaseModel):
    """Addresses of a running stack."""

    gateway: str
    temporal: str
    temporal_ui: str | None
    database: str
    offline: dict[str, str] | None
    library: str | None
    home: str
    pids: dict[str, int]


def load_secret(path: Path) -> str:
    """Return the secret in a file readable by its owner alone; create it if missing."""
    if not path.exists():
        path.touch(mode=0o600)
    if not path.stat().st_size:
        path.write_text(secrets.token_urlsafe(32), encoding="ascii")
    return path.read_text(encoding="ascii")


@dataclass(frozen=True)
class Home:
    """The directory `path`, created by the first stack that starts in it."""

    path: Path

    @classmethod
    def from_environment(cls) -> "Home":
        """Return the home named by `GREENLIGHT_HOME`; by default, that of the clone or of the user."""
        if named := os.environ.get("GREENLIGHT_HOME"):
            return cls(Path(named).expanduser().absolute())
        if IS_CLONE:
            return cls(ROOT / ".greenlight")
        state = os.environ.get("XDG_STATE_HOME", "")  # the standard ignores a relative path
        base = Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state"
        return cls(base / "greenlight")

    def log(self, name: str) -> Path:
        """Return the log file of a process."""
        return self.path / "logs" / f"{name}.log"

    def find_running(self) -> Addresses | None:
        """Return the addresses of the stack running here, if one is ready."""
        with suppress(OSError, ValueError):
            if self._is_taken():
                return Addresses.model_validate_json(self._address_file.read_bytes())
        return None

    @contextmanager
    def join(self) -> Iterator[Addresses | None]:
        """Yield the addresses of the stack running here, which does not `close` before the block ends.

        One that is starting or stopping is waited for.
        """
        self._make()
        with self._users_file.open("a") as users:
            fcntl.flock(users, fcntl.LOCK_SH)
            while (running := self.find_running()) is None and self._is_taken():
                time.sleep(POLL_SECONDS)
            yield running

    @contextmanager
    def close(self, notify: Callable[[], None]) -> Iterator[None]:
        """Prevent commands from joining the running stack, and wait for those that use it.

        `notify` is called before waiting.
        """
        with self._users_file.open("a") as users:
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                notify()
                fcntl.flock(users, fcntl.LOCK_EX)
            self.withdraw()
            yield

    def require_running(self) -> Addresses:
        """Return the addresses of the running stack.

        Raises:
            Unreachable: No stack is running here.
        """
        if running := self.find_running():
            return running
        raise Unreachable.of("cli-no-stack", path=str(self.path), command=f"{COMMAND} up")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the home for one stack.

        Raises:
            Occupied: another stack runs here.
            CommandError: the directory cannot be written.
        """
        self._make()
        try:
            with self._acquire_lock():
                self.withdraw()
                yield
                self.withdraw()
        except BlockingIOError:
            problem = f"another stack is just starting or stopping in {self.path}"
            if running := self.find_running():
                problem = f"a stack already runs in {self.path}: its gateway is {running.gateway}"
            raise Occupied(problem) from None
        except OSError as error:
            raise self._describe(error) from error

    def publish(self, addresses: Addresses) -> None:
        """Write the stack's addresses, atomically."""
        new = self.path / "stack.json.new"
        new.touch(mode=0o600)
        new.write_text(addresses.model_dump_json() + "\n", encoding="utf-8")
        new.replace(self._address_file)

    def withdraw(self) -> None:
        """Remove the stack's addresses, so that no command joins it while it stops."""
        self._address_file.unlink(missing_ok=True)

    def load_library(self) -> Path | None:
        """Return the library of the unfinished runs."""
        with suppress(OSError):
            if path := (self.path / "library").read_bytes():
                return Path(os.fsdecode(path))
        return None

    def save_library(self, library: Path | None) -> None:
        """Save the stack's library for the next start."""
        (self.path / "library").write_bytes(os.fsencode(library or ""))

    def load_port(self, name: str) -> int:
        """Return the port that a process had at the first start, or 0.

        Runs keep addresses with the offline services' port, bookmarks and share links with the gateway's.
        """
        with suppress(OSError, ValueError):
            port = int((self.path / f"{name}.port").read_text("utf-8"))
            return port if port in range(1, 65_536) else 0
        return 0

    def save_port(self, name: str, port: int) -> None:
        """Save a process's port, unless one was saved."""
        if not self.load_port(name):
            (self.path / f"{name}.port").write_text(f"{port}\n", "utf-8")

    def _make(self) -> None:
        try:
            (self.path / "logs").mkdir(parents=True, exist_ok=True)
            self.path.chmod(0o700)
        except OSError as error:
            raise self._describe(error) from error

    def _describe(self, error: OSError) -> CommandError:
        return CommandError(f"{error.strerror or error}: {error.filename or self.path}")

    @property
    def _address_file(self) -> Path:
        return self.path / "stack.json"

    @property
    def _users_file(self) -> Path:
        return self.path / "users.lock"

    def _is_taken(self) -> bool:
        try:
            with self._acquire_lock():
                return False
        except BlockingIOError:
            return True

    @contextmanager
    def _acquire_lock(self) -> Iterator[None]:
        with (self.path / "stack.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
