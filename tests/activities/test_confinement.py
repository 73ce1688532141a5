"""What a process that reads foreign input can reach: nothing but its libraries."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from activities.confined.call_pool import EVIDENCE, READING, CallPool
from activities.confined.confinement import NOBODY
from activities.confined.pandoc_process import find_pandoc
from activities.confined.subprocess_sandbox import SubprocessSandbox
from activities.parsing.page_parser import PageParser
from contracts.errors import TooCostly
from contracts.media_types import DOCX, PDF
from domain.retrieval.document_rows import split_rows
from tests.activities.confined_attempts import try_program
from tests.activities.web import files
from tests.support.offline_services import eventually
from tests.support.refusals import refused

ATTEMPTS = "tests.activities.confined_attempts"


async def attempt(what: str, *args: object) -> str:
    """Return what became of an attempt in a sandboxed process."""
    sandbox = SubprocessSandbox(ATTEMPTS, size=1, seconds=10)
    try:
        return (await sandbox.run(" ".join(map(str, [what, *args])).encode())).decode()
    finally:
        await sandbox.close()


@pytest.mark.parametrize(
    "what",
    [
        *("open /etc/passwd", "open /proc/{parent}/environ", "open {root}/settings.py"),
        *("open {root}/.git", "write /tmp/confined", "list /", "socket inet", "socket unix"),
        *("socket datagram", "exec", "spawn", "fork", "kill {parent}", "limit {parent}"),
    ],
)
async def test_confined_process_is_refused(what: str) -> None:
    root = Path(__file__).parents[2]
    assert await attempt(what.format(parent=os.getpid(), root=root)) == "PermissionError"
    assert psutil.Process().is_running()


async def test_confined_process_has_threads_its_libraries_and_no_new_privileges() -> None:
    assert await attempt("thread") == "ran"
    assert (await attempt("import")).endswith("sw")
    told = await attempt("status")
    assert "NoNewPrivs:\t1" in told
    assert "Seccomp:\t2" in told


async def test_process_of_root_becomes_nobody() -> None:
    user = NOBODY if os.geteuid() == 0 else os.geteuid()
    assert f"Uid:\t{user}\t{user}\t{user}\t{user}" in await attempt("status")


async def test_every_format_is_read_in_confinement() -> None:
    parser = PageParser(pool=CallPool(*READING, size=1))
    page = (
        "<html><head><title>T</title></head><body><p>Le 3 mars 2024, pumps sell.</p></body></html>"
    )
    try:
        for body, media_type in (
            (files.pdf("Pumps sell"), PDF),
            (files.word(), DOCX),
            (page.encode(), "text/html"),
            (b"# Pumps\n\nThey sell.", "text/markdown"),
            ("Größe".encode("latin-1"), "text/plain"),
        ):
            assert (await parser.read(body, media_type)).text
    finally:
        await parser.close()


async def test_process_that_reads_runs_pandoc_and_no_other_program() -> None:
    pandoc = str(find_pandoc())
    for modules, program, outcome in (
        (READING, pandoc, "0"),
        (READING, "/bin/true", "PermissionError"),
        (EVIDENCE, pandoc, "PermissionError"),
    ):
        pool = CallPool(*modules, ATTEMPTS, size=1)
        try:
            assert await pool.run(try_program, program, task="trying") == outcome
        finally:
            await pool.close()


def list_pandocs() -> list[psutil.Process]:
    return [p for p in psutil.Process().children(recursive=True) if "pandoc" in p.name()]


async def _is_pandoc_running() -> bool:
    return bool(list_pandocs())


async def test_pandoc_ends_with_the_process_that_started_it() -> None:
    body = files.packed_word(
        b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        + b"<w:p><w:r><w:t>Pumps sell.</w:t></w:r></w:p>" * 200_000
        + b"</w:body></w:document>"
    )
    parser = PageParser(max_seconds=60)
    reading = asyncio.create_task(parser.read(body, DOCX))
    await eventually(_is_pandoc_running)
    running = list_pandocs()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await parser.close()
    assert psutil.wait_procs(running, timeout=5)[1] == []


def test_kernel_without_confinement_is_named() -> None:
    code = (
        "import platform, activities.confined.confinement as c; platform.machine = lambda: 'riscv64';"
        "c._find_abi = lambda _: -1; print(c.list_missing()); c.Confinement().apply()"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "['landlock', 'seccomp']"


async def test_result_of_a_call_is_of_its_annotated_type() -> None:
    pool = CallPool(size=1)
    try:
        found: Any = await pool.run(split_rows, "Pumps sell.", task="splitting")
        assert found == split_rows("Pumps sell.")
        with refused(TooCostly, "costly-time", most=0.001):
            await pool.run(
                split_rows,
                "\n" * 10**6 + "x " * 10**7,
                task="waiting",
                seconds=0.001,
            )
    finally:
        await pool.close()
