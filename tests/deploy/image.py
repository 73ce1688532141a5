"""A command of an image, run as a container runs it: its user, a read-only root, no network, no capabilities."""

import asyncio
import re
import shlex
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from greenlight.bootstrap import ROOT
from greenlight.development import image_lock
from tests.deploy.containers import read_compose

USER = 10_001
PLACE = "/mnt"
"""Path of the folder that a command may write to, in addition to /tmp."""
SECONDS = 60

NAMESPACES = (
    *("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"),
    *("--user", f"--map-user={USER}", f"--map-group={USER}", "--keep-caps"),
)
"""The user exists in a user namespace, which needs no privileges: it can read the files of the test's user."""
AS_CONTAINER = f"""
set -euo pipefail
mount --make-rprivate /
mount --bind "$FOLDER" {PLACE}
mount -o remount,bind,ro /
exec 9< "$TREE"
mount -t tmpfs -o mode=1777 tmpfs /tmp
case "$TREE" in /tmp/*)  # which the new /tmp hides
  mkdir -p "$TREE"
  mount -c --bind /proc/self/fd/9 "$TREE"  # not by the name it had
  mount -o remount,bind,ro "$TREE"
esac
exec 9<&-
mount -t tmpfs tmpfs /run
ip link set lo up  # a container has its own
exec setpriv --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all bash -c "$RUN"
"""
RUN = """
echo "user $(id -u)"
touch here 2>/dev/null && echo "root can be written"
(exec 3<>/dev/tcp/192.0.2.1/443) 2>/dev/null && echo "network is there"
$COMMAND & main=$!
for _ in $(seq $((SECONDS_AT_MOST * 4))); do
  kill -0 $main 2>/dev/null || break
  sh -c "$PROBE" 2>/dev/null && { echo "probe succeeded"; sh -c "$ASK"; break; }
  sleep 0.25
done
[ -z "$PROBE" ] || kill -TERM $main 2>/dev/null
wait $main && code=0 || code=$?
echo "ended with $code"
"""


@dataclass(frozen=True)
class Ended:
    """A command's exit code, and its output with that of its probes."""

    code: int
    said: str


def read_image_variables() -> dict[str, str]:
    """Return the variables that the Dockerfile sets in every image."""
    text = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
    lines = re.findall(r"^ENV (.*)$", text, re.MULTILINE)
    return dict(pair.split("=", 1) for line in lines for pair in shlex.split(line))


def read_service_variables(service: str, given: dict[str, str]) -> dict[str, str]:
    """Return the variables that compose sets for a service, with these values instead of its own."""
    told: dict[str, str] = {}
    for name, value in read_compose()[service]["environment"].items():
        if name in given:
            told[name] = given[name]
        elif value is not None:
            told[name] = re.sub(
                r"\$\{(\w+)(?::[-?]([^}]*))?\}",
                lambda found: given.get(found[1], found[2]),
                value,
            )
    return told


@dataclass(frozen=True)
class Image:
    """Where a container finds its programs, and the one folder, under the name `PLACE`, that it may write to."""

    folder: Path
    programs: str = sysconfig.get_path("scripts")

    @classmethod
    def install(cls, name: str, folder: Path) -> "Image":
        """Install what an image's lock says into the folder."""
        uv, place = (sys.executable, "-m", "uv"), folder / name
        python = ("--python", str(place / "bin" / "python"))
        hashed = ("--require-hashes", "--no-deps", "--only-binary", ":all:")
        lock = ("--requirement", str(image_lock(name)))
        subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(place)], check=True)
        subprocess.run([*uv, "pip", "install", "--quiet", *python, *hashed, *lock], check=True)
        return cls(folder, f"{PLACE}/{name}/bin")


async def run_service(
    service: str,
    image: Image,
    given: dict[str, str],
    *,
    command: str = "",
    probe: str = "",
    ask: str = "true",
) -> Ended:
    """Run a service's command, or another one, until it ends or its probe succeeds; then run `ask`, and stop it."""
    variables = read_image_variables() | read_service_variables(service, given)
    told = {
        "PATH": f"{image.programs}:/usr/sbin:/usr/bin:/sbin:/bin",
        "FOLDER": str(image.folder),
        "TREE": str(ROOT),
        "RUN": RUN,
        "COMMAND": command or read_compose()[service]["command"],
        "PROBE": probe,
        "ASK": ask,
        "SECONDS_AT_MOST": str(SECONDS),
    }
    process = await asyncio.create_subprocess_exec(
        *NAMESPACES,
        *("bash", "-c", AS_CONTAINER),
        cwd=ROOT,
        env=told | variables,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    said = output.decode()
    code = re.search(r"^ended with (\d+)$", said, re.MULTILINE)
    assert code, said
    return Ended(int(code[1]), said)
