"""Priority and fairness of tasks in a queue: interactive work first, and users in turn."""

import hashlib

from temporalio.common import Priority

INTERACTIVE = 1
"""Priority of a run's workflow tasks, which answer humans, and of its activities until its plan is approved."""
FAIRNESS_KEY_CHARS = 32
"""Temporal takes up to 64."""


def build_priority(tenant_id: str, user_id: str) -> Priority:
    """Return the priority of a run that a user waits for; its activities inherit what they do not set.

    The fairness key is a hash, since it appears unencrypted in histories.
    """
    whose = hashlib.sha256(f"{tenant_id}\0{user_id}".encode()).hexdigest()
    return Priority(priority_key=INTERACTIVE, fairness_key=whose[:FAIRNESS_KEY_CHARS])
