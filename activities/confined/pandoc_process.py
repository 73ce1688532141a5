"""pandoc, which comes with pypandoc: a child process that ends with its parent."""

import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from activities.confined.memory_and_time_limits import (
    PANDOC_HEAP_MB,
    PANDOC_SECONDS,
    end_with_parent,
)

_RUNTIME = ("+RTS", f"-M{PANDOC_HEAP_MB}M", "-RTS")


class PandocFailed(Exception):
    """pandoc could not convert a document, or not within its bounds."""


@cache
def find_pandoc() -> Path:
    """Return the program."""
    spec = find_spec("pypandoc")
    assert spec
    assert spec.origin
    return Path(spec.origin).parent / "files" / "pandoc"


@contextmanager
def start_pandoc(*options: str) -> Iterator[Callable[[bytes], bytes]]:
    """Start pandoc, confined to its input, and yield a function that converts one document.

    Pandoc loads while the caller prepares the document.

    Raises:
        PandocFailed: The document cannot be converted, or needs too much time or memory.
    """
    command = [str(find_pandoc()), *_RUNTIME, "--sandbox", "--quiet", "--wrap=none", *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(  # noqa: S603 - our own program and options
        command, stdin=pipe, stdout=pipe, preexec_fn=_bound
    ) as process:

        def convert(body: bytes) -> bytes:
            made, _ = process.communicate(body)
            if process.returncode:
                raise PandocFailed(f"pandoc ended with {process.returncode}")
            return made

        try:
            yield convert
        finally:  # without input it ends by itself, and a confined process may not kill it
            if process.stdin and not process.stdin.closed:
                process.stdin.close()


def _bound() -> None:
    """Bound the processor time of this process, and end it with its parent."""
    resource.setrlimit(resource.RLIMIT_CPU, (PANDOC_SECONDS, PANDOC_SECONDS))
    end_with_parent()
