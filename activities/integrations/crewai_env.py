"""Environment that keeps CrewAI from sending, updating or writing anything; set before its import."""

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


def disable_side_effects(scratch: Path) -> None:
    """Switch off telemetry, tracing, version check and .env, and give this process its own home.

    CrewAI writes a key below the home directory, and its locks where temporary files go; it has no
    switch for either.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    os.environ.update(QUIET, HOME=str(scratch), TMPDIR=str(scratch))
    tempfile.tempdir = None  # found anew
    os.environ.pop("XDG_DATA_HOME", None)
