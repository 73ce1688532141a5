"""The links that a report may contain: to the web, to mail addresses, and to files of its own run."""

import re

from contracts.agents.calculations_and_charts import Artifact

ARTIFACTS = "artifacts"
"""Path of an artifact's link: below the run's address, or next to the saved report."""
_WEB = re.compile(r"https?://[^\s/<>\\\x00-\x1f\x7f][^\s<>\\\x00-\x1f\x7f]*", re.IGNORECASE)
_MAIL = re.compile(r"mailto:[^\s<>\\\x00-\x1f\x7f]+", re.IGNORECASE)
_KEPT = re.compile(r"artifacts/[\w-]+(?:#page=\d{1,6})?|sources/\d{1,6}/snapshot", re.ASCII)


def is_allowed(address: str) -> bool:
    """Return whether a report may link to a URL; one without a scheme must be below the run's own."""
    return any(form.fullmatch(address) for form in (_WEB, _MAIL, _KEPT))


def is_on_web(address: str) -> bool:
    """Return whether an address is one of the web."""
    return _WEB.fullmatch(address) is not None


def is_kept(address: str) -> bool:
    """Return whether a URL is that of something the run keeps."""
    return _KEPT.fullmatch(address) is not None


def find_kept(artifact: Artifact) -> str:
    """Return an artifact's id, if a report may link to it."""
    return artifact.id if is_kept(f"{ARTIFACTS}/{artifact.id}") else ""
