"""Links that a report may hold: to the web, to write a mail, and to what its own run keeps."""

import re

from contracts.agents.calculations_and_charts import Artifact

ARTIFACTS = "artifacts"
"""Path of an artifact's link: below the run's address, or next to the saved report."""
_WEB = re.compile(r"https?://[^\s/<>\\\x00-\x1f\x7f][^\s<>\\\x00-\x1f\x7f]*", re.IGNORECASE)
_MAIL = re.compile(r"mailto:[^\s<>\\\x00-\x1f\x7f]+", re.IGNORECASE)
_KEPT = re.compile(r"artifacts/[\w-]+(?:#page=\d{1,6})?|sources/\d{1,6}/snapshot", re.ASCII)


def is_allowed(address: str) -> bool:
    """Return whether a report may link to an address; one without a scheme must be the run's own."""
    return any(form.fullmatch(address) for form in (_WEB, _MAIL, _KEPT))


def is_on_web(address: str) -> bool:
    """Return whether an address is one of the web."""
    return _WEB.fullmatch(address) is not None


def is_kept(address: str) -> bool:
    """Return whether an address is that of something the run keeps, below its own."""
    return _KEPT.fullmatch(address) is not None


def find_kept(artifact: Artifact) -> str:
    """Return an artifact's id, if a report may link to it."""
    return artifact.id if is_kept(f"{ARTIFACTS}/{artifact.id}") else ""
