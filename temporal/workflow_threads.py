"""Threads that run workflow tasks, never two at once for the same run."""

from asyncio import Task
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

MAX_THREADS = 500
"""As many as the SDK's own executor has; a thread is started when all others are busy."""


class WorkflowThreads(ThreadPoolExecutor):
    """An executor for `Worker(workflow_task_executor=…)`; tasks of the same run wait for each other.

    The SDK gives up on a workflow task after two seconds, interrupts its thread and evicts the run from the cache, so that
    another attempt replays it. Its wait for the interrupted thread ends at once, because the timeout has cancelled
    the future it waits for (temporalio 1.35). On a busy machine, or in a long C call, the thread still runs
    then: the eviction's cancellations fail within the same event loop and are lost, and the run never moves again on this worker.
    Here the eviction waits until the thread has left. An interrupt may also hit a finished task of the run before the callback that
    forgets it: the SDK then refuses the eviction for good (on a starved machine such a worker polled no workflow task any more). They are forgotten here.
    """

    def __init__(self) -> None:
        super().__init__(MAX_THREADS, thread_name_prefix="workflow-task")
        self._locks: WeakKeyDictionary[object, Lock] = WeakKeyDictionary()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Run a call once no other method of the same object runs: the SDK has an object for each cached run."""
        run = getattr(fn, "__self__", None)
        if run is None:
            return super().submit(fn, *args, **kwargs)
        lock = self._locks.setdefault(run, Lock())

        def call_alone() -> T:
            with lock:
                try:
                    return fn(*args, **kwargs)
                except RuntimeError:  # of an eviction, which the SDK tries again
                    _forget_finished_tasks(run)
                    raise

        return super().submit(call_alone)


def _forget_finished_tasks(run: object) -> None:
    """Drop tasks whose callback was lost to an interrupt; a call ends when no callback is due, and leaves only tasks that wait."""
    tasks: set[Task[Any]] = getattr(getattr(run, "instance", None), "_tasks", set())
    tasks -= {task for task in tasks if task.done()}
