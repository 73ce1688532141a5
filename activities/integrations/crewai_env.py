"""Environment that keeps CrewAI from sending, updating or writing anything; set before its import."""

import os
import tempfile
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from activities.late_packages import InstallFailed, install
from contracts.errors import PackagesMissing
from contracts.notices import Notice

if TYPE_CHECKING:
    from activities.crew.conversation import CrewConversation
    from activities.crew.crew_task import Kickoff
    from contracts.agents.crews import CrewTaskRequest

QUIET = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
    "CREWAI_STORAGE_DIR": "crewai",
    "PYTHON_DOTENV_DISABLED": "1",
}


def disable_side_effects(scratch: Path) -> None:
    """Disable telemetry, tracing, version checks and .env, and set a private home directory.

    CrewAI writes a key to the home directory and locks to the temporary directory; both have no setting.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    os.environ.update(QUIET, HOME=str(scratch), TMPDIR=str(scratch))
    tempfile.tempdir = None  # computed again on next use
    os.environ.pop("XDG_DATA_HOME", None)


class LateKickoff:
    """The adapter's `kickoff`, which imports CrewAI when first called, and installs it if it may."""

    def __init__(self, scratch: Path, *, installs: bool) -> None:
        self._scratch = scratch
        self._installs = installs
        self._kickoff: Kickoff | None = None
        self._one_at_a_time = Lock()

    def __call__(self, request: "CrewTaskRequest", conversation: "CrewConversation") -> None:
        """Run the conversation of one task.

        Raises:
            PackagesMissing: CrewAI could not be installed; retried.
        """
        self.load()(request, conversation)

    def load(self) -> "Kickoff":
        """Return the adapter's function, imported with CrewAI's unused features disabled.

        Raises:
            PackagesMissing: CrewAI could not be installed; retried.
        """
        with self._one_at_a_time:
            if self._kickoff is None:
                if self._installs:
                    _install()
                disable_side_effects(self._scratch.absolute())
                from activities.integrations.crewai_adapter import kickoff

                self._kickoff = kickoff
            return self._kickoff


def _install() -> None:
    try:
        install("crew")
    except InstallFailed as error:
        raise PackagesMissing(Notice.of("crew-packages", reason=str(error))) from error
