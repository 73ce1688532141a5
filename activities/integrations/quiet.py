"""What CrewAI must be told before it is imported, so that it does nothing of its own."""

import os
import tempfile
from pathlib import Path

QUIET = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
    "CREWAI_STORAGE_DIR": "crewai",
    "PYTHON_DOTENV_DISABLED": "1",
}


def quieten(scratch: Path) -> None:
    """Switch off telemetry, tracing, version check and .env, and give this process a home of its own.

    CrewAI writes a key and every task's output below the home directory, and its locks where
    temporary files go; it has no switch for either.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    os.environ.update(QUIET, HOME=str(scratch), TMPDIR=str(scratch))
    tempfile.tempdir = None  # found anew
    os.environ.pop("XDG_DATA_HOME", None)
