"""A stack's home: the directory that keeps its state, and says which stack runs there."""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from greenlight.stack.processes import StackError

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Addresses:
    """Where a stack answers."""

    gateway: str
    temporal: str
    temporal_ui: str | None
    database: str
    offline: dict[str, str] | None
    library: str | None
    home: str
    pids: dict[str, int]

    def line(self) -> str:
        """Return one line of JSON."""
        return json.dumps(asdict(self))


def kept_secret(path: Path) -> str:
    """Return the secret in a file that only its owner reads, made when it is first asked for."""
    if not path.exists():
        path.touch(mode=0o600)
    if not path.stat().st_size:
        path.write_text(secrets.token_urlsafe(32), encoding="ascii")
    return path.read_text(encoding="ascii")


@dataclass(frozen=True)
class Home:
    """The directory `path`, made when a stack first starts there."""

    path: Path

    @classmethod
    def of_environment(cls) -> "Home":
        """Return the home that `GREENLIGHT_HOME` names, else the one beside the project."""
        named = os.environ.get("GREENLIGHT_HOME")
        return cls(Path(named).expanduser().absolute() if named else ROOT / ".greenlight")

    @property
    def logs(self) -> Path:
        """Return where the processes' output goes."""
        return self.path / "logs"

    def running(self) -> Addresses | None:
        """Return where the stack that runs here answers, if one does and is ready."""
        try:
            with self._locked():
                return None
        except BlockingIOError:
            with suppress(OSError, ValueError, TypeError):
                return Addresses(**json.loads(self._note.read_text(encoding="utf-8")))
        except OSError:
            pass
        return None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep every other stack out; what the disk refuses is a `StackError`."""
        try:
            self.logs.mkdir(parents=True, exist_ok=True)
            self.path.chmod(0o700)
            with self._locked():
                self._note.unlink(missing_ok=True)
                yield
                self._note.unlink(missing_ok=True)
        except BlockingIOError:
            raise StackError(self._who_is_here()) from None
        except OSError as error:
            place = error.filename or self.path
            raise StackError(f"{error.strerror or error}: {place}") from error

    def note(self, addresses: Addresses) -> None:
        """Leave word of where the stack answers; readers see the old or the new, never half."""
        new = self.path / "stack.json.new"
        new.touch(mode=0o600)
        new.write_text(addresses.line() + "\n", encoding="utf-8")
        new.replace(self._note)

    def library(self) -> Path | None:
        """Return the documents that the runs which go on here were begun with."""
        with suppress(OSError):
            return Path(os.fsdecode(self._library.read_bytes()))
        return None

    def remember(self, library: Path | None) -> None:
        """Keep the documents that the stack searches for the next one, or forget them."""
        if library is None:
            self._library.unlink(missing_ok=True)
        else:
            self._library.write_bytes(os.fsencode(library))

    @property
    def _library(self) -> Path:
        return self.path / "library"

    @property
    def _note(self) -> Path:
        return self.path / "stack.json"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self.path / "stack.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield

    def _who_is_here(self) -> str:
        other = self.running()
        if other is None:
            return f"another stack is just starting in {self.path}"
        return f"a stack already runs in {self.path}: its gateway is {other.gateway}"
