"""The blocks of docs/deployment.md, run as a reader pastes them."""

import re
import subprocess
from pathlib import Path

from tests.deploy.containers import COMPOSE
from tests.documents import BLOCKS, Block

RUN = {str(block): block for block in BLOCKS if block.page == "docs/deployment.md"}
SECRETS_OF_A_SERVER = "docs/deployment.md, One server, sh"


def paste(block: Block, where: Path, **variables: str) -> str:
    """Return what a block prints in a folder; any error fails."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        capture_output=True,
        text=True,
        cwd=where,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", **variables},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_block_that_is_run_has_its_test() -> None:
    assert {name for name, block in RUN.items() if not block.reason} == {SECRETS_OF_A_SERVER}


def test_page_makes_every_secret_without_which_compose_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    paste(RUN[SECRETS_OF_A_SERVER], tmp_path)
    lines = (tmp_path / "deploy" / ".env").read_text("utf-8").splitlines()
    made = dict(line.split("=", 1) for line in lines)
    required = set(re.findall(r"\$\{(\w+):\?", COMPOSE.read_text("utf-8")))
    assert set(made) == required
    passwords = [made[name] for name in sorted(required - {"ANTHROPIC_API_KEY"})]
    assert all(re.fullmatch(r"[0-9a-f]{64}", each) for each in passwords)
    assert len({*passwords}) == len(passwords)
