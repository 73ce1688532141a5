"""The blocks of docs/deployment.md, run as a reader pastes them."""

import base64
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from greenlight.bootstrap import ROOT
from tests.deploy.containers import COMPOSE
from tests.deploy.helm import Helm, list_pods
from tests.support.documents import BLOCKS, Block

RUN = {str(block): block for block in BLOCKS if block.page == "docs/deployment.md"}
SECRETS_OF_A_SERVER = "docs/deployment.md, One server, sh"
SECRETS_OF_A_CLUSTER = "docs/deployment.md, Kubernetes, sh"
SECRET_OF_CLOUD = "docs/deployment.md, Temporal Cloud, sh"
RENDER = "docs/deployment.md, Kubernetes, sh 2"
FILES = {block.file: block.text for block in RUN.values() if block.file}
WITHOUT_A_CLUSTER = 'kubectl() { command kubectl "$@" --dry-run=client --output yaml; echo ---; }\n'


def paste(block: Block, where: Path, tools: Path | None = None, before: str = "") -> str:
    """Return what a block prints in a folder; any error fails."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", before + block.text],
        capture_output=True,
        text=True,
        cwd=where,
        env={"PATH": f"{tools or ''}:/usr/local/bin:/usr/bin:/bin", "HOME": str(where)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_block_that_is_run_has_its_test() -> None:
    pasted = {SECRETS_OF_A_SERVER, SECRETS_OF_A_CLUSTER, SECRET_OF_CLOUD, RENDER}
    assert {name for name, block in RUN.items() if not (block.reason or block.file)} == pasted
    assert set(FILES) == {"values.yaml", "cloud.yaml", "mtls.yaml"}


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


@pytest.mark.parametrize("files", [["values.yaml"], ["values.yaml", "cloud.yaml"]], ids=len)
def test_page_makes_the_secrets_that_the_chart_needs(
    helm: Helm, tmp_path: Path, files: list[str]
) -> None:
    blocks = (SECRETS_OF_A_CLUSTER, SECRET_OF_CLOUD)[: len(files)]
    tools = helm.program.parent
    told = "".join(paste(RUN[name], tmp_path, tools, WITHOUT_A_CLUSTER) for name in blocks)
    made = {
        (each["metadata"]["name"], key): base64.b64decode(value).decode()
        for each in yaml.safe_load_all(told)
        if each and each["kind"] == "Secret"
        for key, value in each["data"].items()
    }
    assert re.fullmatch(r"[0-9a-f]{64}", made["greenlight", "GREENLIGHT_SIGNING_KEY"])
    needed = {
        (source["name"], source["key"])
        for pod in list_pods(helm.render(*save(tmp_path, files)))
        for container in pod["spec"]["containers"]
        for variable in container["env"]
        if (source := variable.get("valueFrom", {}).get("secretKeyRef"))
        and not source.get("optional")
    }
    assert needed == {each for each in made if each != ("greenlight", "ANTHROPIC_API_KEY")}


def save(folder: Path, files: list[str]) -> list[str]:
    """Save files of the page; return the options that name them to Helm."""
    for file in files:
        (folder / file).write_text(FILES[file], "utf-8")
    return [part for file in files for part in ("--values", str(folder / file))]


def test_printed_values_render_as_printed(helm: Helm, tmp_path: Path) -> None:
    (tmp_path / "deploy").symlink_to(ROOT / "deploy")
    (tmp_path / "values.yaml").write_text(FILES["values.yaml"], "utf-8")
    told = paste(RUN[RENDER], tmp_path, helm.program.parent)
    kinds = [each["kind"] for each in yaml.safe_load_all(told) if each]
    assert {"Deployment", "Job", "Ingress", "NetworkPolicy"} <= {*kinds}


@pytest.mark.parametrize("name", ["cloud.yaml", "mtls.yaml"])
def test_printed_ways_to_temporal_cloud_render(helm: Helm, tmp_path: Path, name: str) -> None:
    named = {
        variable["name"]
        for pod in list_pods(helm.render(*save(tmp_path, ["values.yaml", name])))
        for variable in pod["spec"]["containers"][0]["env"]
    }
    one, other = "TEMPORAL_API_KEY", "TEMPORAL_TLS_CLIENT_CERT_PATH"
    assert (one in named, other in named) == (name == "cloud.yaml", name == "mtls.yaml")
