"""Checks of the page: types, lint, layout and logic, by the locked packages of `web/`."""

import asyncio
import json
import subprocess
from pathlib import Path

from greenlight.stack.page import WEB, find_node, install_packages

CHECKS = (
    ("openapi-typescript/bin/cli.js", "openapi.json", "--output", "src/api/schema.ts"),
    ("oxlint/bin/oxlint",),
    ("oxfmt/bin/oxfmt", "--check", "."),
)
"""Programs of `web/node_modules` with their options; oxlint checks the types, too, which the first one writes."""

TESTS = ("vitest/vitest.mjs", "run")
LOG = Path("/dev/stderr")


def prepare() -> None:
    """Install the packages of `web/` and write the gateway's description, which types are made of.

    Raises:
        CommandError: the packages were not installed.
    """
    from api.app import build_routes

    asyncio.run(install_packages(LOG))
    app = build_routes()
    (WEB / "openapi.json").write_text(json.dumps(app.openapi()), encoding="utf-8")


def run(program: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a program of `web/node_modules` by the wheel's Node; return its output, complaints with it."""
    command = [str(find_node()), str(WEB / "node_modules" / program), *options]
    output, complaints = subprocess.PIPE, subprocess.STDOUT
    return subprocess.run(
        command, cwd=WEB, check=False, stdout=output, stderr=complaints, text=True
    )
