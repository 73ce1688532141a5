"""Pandoc, a process of its own that reads what it is given and no other file."""

import subprocess
from importlib.util import find_spec
from pathlib import Path


def convert(html: str, *options: str) -> bytes:
    """Return a body of HTML in another format."""
    spec = find_spec("pypandoc")
    assert spec
    assert spec.origin
    pandoc = str(Path(spec.origin).parent / "files" / "pandoc")
    command = [pandoc, "--sandbox", "--from=html-auto_identifiers", "--wrap=none", *options]
    made = subprocess.run(command, input=html.encode(), capture_output=True, check=True)  # noqa: S603 - ours
    return made.stdout
