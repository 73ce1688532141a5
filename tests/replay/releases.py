"""The histories of each release, packed and with their digests: runs that it began are finished by later ones."""

import hashlib
import json
import lzma
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
HISTORIES = Path(__file__).parent / "histories"
"""Those of the version that is worked on, one JSON file each: their diff shows what a change does."""
RELEASES = Path(__file__).parent / "releases"
DIGESTS = RELEASES / "sha256.json"


def find_version(root: Path = ROOT) -> str:
    """Return the version that is worked on."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def is_released(version: str, root: Path = ROOT) -> bool:
    """Return whether the changelog has a date for a version."""
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    return bool(re.search(rf"^## {re.escape(version)} - \d{{4}}-", changelog, re.MULTILINE))


def pack(histories: Path, releases: Path, version: str) -> None:
    """Keep histories as those of a version, with their digest."""
    kept = {
        path.stem: json.loads(path.read_text("utf-8")) for path in sorted(histories.glob("*.json"))
    }
    packed = lzma.compress(json.dumps(kept, ensure_ascii=False).encode())
    releases.mkdir(exist_ok=True)
    place_of(releases, version).write_bytes(packed)
    digests = read_digests(releases) | {version: hashlib.sha256(packed).hexdigest()}
    (releases / DIGESTS.name).write_text(f"{json.dumps(digests, indent=2)}\n", encoding="utf-8")


def unpack(releases: Path, version: str) -> dict[str, str]:
    """Return the histories of a version by their names; `ValueError` if they are not those that were kept."""
    packed = place_of(releases, version).read_bytes()
    if hashlib.sha256(packed).hexdigest() != read_digests(releases).get(version):
        raise ValueError(f"the histories of {version} have changed: those of a release stay")
    kept = json.loads(lzma.decompress(packed))
    return {name: json.dumps(history, ensure_ascii=False) for name, history in kept.items()}


def read_digests(releases: Path) -> dict[str, str]:
    """Return the digest of each version's file."""
    path = releases / DIGESTS.name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def place_of(releases: Path, version: str) -> Path:
    """Return the path of a version's file."""
    return releases / f"{version}.json.xz"
