"""The build context for Docker, and so the images, contains no secrets."""

import re
from pathlib import Path, PurePosixPath

import pytest

from greenlight.bootstrap import ROOT

RULES = (ROOT / ".dockerignore").read_text("utf-8").splitlines()


def is_excluded(path: str) -> bool:
    """Return whether Docker leaves a file out: the last rule that matches it or a folder above decides."""
    excluded = False
    parts = PurePosixPath(path).parts
    above = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
    for rule in filter(None, map(str.strip, RULES)):
        pattern = re.compile(to_regex(rule.removeprefix("!").strip("/")))
        if any(map(pattern.fullmatch, above)):
            excluded = not rule.startswith("!")
    return excluded


def to_regex(rule: str) -> str:
    """Return a rule as Docker reads it: `**` any folders, `*` and `?` within a name."""
    pieces = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.sub(r"\*\*/|\*\*|\*|\?|[^*?]+", lambda m: pieces.get(m[0]) or re.escape(m[0]), rule)


@pytest.mark.parametrize(
    "path",
    [
        *(".env", "deploy/.env", "deploy/.env.production", ".env.local", "web/src/.env"),
        *(
            "deploy/tls/tls.key",
            ".git/config",
            ".greenlight/signing.key",
            ".venv/bin/python",
            "web/node_modules/a/.env",
        ),
    ],
)
def test_secrets_and_what_is_installed_stay_out_of_the_images(path: str) -> None:
    assert is_excluded(path)


@pytest.mark.parametrize(
    "path", [".env.example", "worker.py", "deploy/Dockerfile", "web/package.json", "api/app.py"]
)
def test_what_the_images_need_is_sent(path: str) -> None:
    assert not is_excluded(path)


def test_no_file_of_the_repository_that_looks_like_secrets_is_sent() -> None:
    found = [path.relative_to(ROOT).as_posix() for path in Path(ROOT).glob("*/.env*")]
    assert not [path for path in found if not is_excluded(path)]
