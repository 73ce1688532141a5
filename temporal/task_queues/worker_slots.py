"""Slots of a worker's activities: a fixed number, or fewer while the machine is short of memory."""

from temporalio.worker import (
    FixedSizeSlotSupplier,
    ResourceBasedSlotConfig,
    ResourceBasedSlotSupplier,
    ResourceBasedTunerConfig,
    WorkerTuner,
)

DEFAULT_SLOTS = 100
"""Temporal's own number of slots for each kind of task."""
ANY_CPU = 1.0
"""The target for processor time: activities wait for providers, and their reading is bounded by its processes."""


def build_tuner(most: int, least: int, memory_share: float) -> WorkerTuner:
    """Return the slots of a worker: `most` activities at once, and `least` while more than a share of memory is used.

    The share is of the container's memory limit, else of the machine's memory; 0 leaves the number fixed.
    """
    fixed = FixedSizeSlotSupplier(DEFAULT_SLOTS)
    activities: FixedSizeSlotSupplier | ResourceBasedSlotSupplier = FixedSizeSlotSupplier(most)
    if memory_share:
        activities = ResourceBasedSlotSupplier(
            ResourceBasedSlotConfig(minimum_slots=least, maximum_slots=most),
            ResourceBasedTunerConfig(memory_share, ANY_CPU),
        )
    return WorkerTuner.create_composite(
        workflow_supplier=fixed,
        activity_supplier=activities,
        local_activity_supplier=fixed,
        nexus_supplier=fixed,
    )
