"""Tests in several processes: forks of the one that collected them, so that all is imported once."""

import faulthandler
import io
import os
import select
import signal
import traceback
import warnings
from collections.abc import Collection, Iterator, Sequence
from multiprocessing.connection import Connection, Pipe, wait
from typing import NoReturn

import pytest

Group = list[pytest.Item]
"""Tests that one process runs, in their order."""

GRACE_SECONDS = 120
"""How long a test and its fixtures' ends may take beyond its timeout, before its process is ended: what a test that
timed out has left may keep an event loop from its end for ever."""
WIDTH = 2
"""Bytes of a group's number in the queue."""


def run_in_forks(
    session: pytest.Session,
    groups: Sequence[Group],
    count: int,
    final: Collection[pytest.Item] = (),
) -> None:
    """Run groups of tests in `count` processes; each process takes the next group when it has finished one.

    All fixtures of a process end after a test in `final`. A test whose process ends before it is reported counts as failed. SIGTERM interrupts as Ctrl-C does:
    pytest then prints what has failed so far.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    folders = session.config._tmp_path_factory  # type: ignore[attr-defined]
    base = folders.getbasetemp()
    queue, filled = os.pipe()
    os.write(filled, b"".join(n.to_bytes(WIDTH, "big") for n in range(len(groups))))
    os.close(filled)
    stop, going = os.pipe()  # nothing is written: closing the other end stops the processes
    pids, receivers = [], []
    for n in range(count):
        receiver, sender = Pipe(duplex=False)
        if not (pid := os.fork()):
            os.close(going)
            folders._basetemp = base / f"process-{n}"
            folders._basetemp.mkdir()
            _run_fork(session, _list_items(groups, queue, stop), final, sender)
        sender.close()
        pids.append(pid)
        receivers.append(receiver)
    try:
        _gather(session, receivers, going)
    except KeyboardInterrupt:
        for pid in pids:
            os.kill(pid, signal.SIGTERM)
        raise
    finally:
        if not session.shouldfail:
            os.close(going)
        for pid in pids:
            os.waitpid(pid, 0)


def _gather(session: pytest.Session, receivers: list[Connection], going: int) -> None:
    """Report the processes' results until all have ended, and the tests without a report."""
    hook = session.config.hook
    untold = {item.nodeid: item for item in session.items}
    while receivers:
        for receiver in wait(receivers):
            assert isinstance(receiver, Connection)
            try:
                kind, told = receiver.recv()
            except EOFError:
                kind, told = "end", None
            if kind == "end":
                receivers.remove(receiver)
            elif kind == "warning":
                hook.pytest_warning_recorded.call_historic(kwargs=told)
            else:
                report = hook.pytest_report_from_serializable(config=session.config, data=told)
                if report.when == "teardown":
                    untold.pop(report.nodeid, None)
                was_failing = session.shouldfail
                hook.pytest_runtest_logreport(report=report)
                if session.shouldfail and not was_failing:
                    os.close(going)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    for item in untold.values():
        why = "the process that should run it ended before"
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")
        hook.pytest_runtest_logreport(report=report)


def _interrupt(*_: object) -> None:
    """Interrupt the process once: what it tears down then is not disturbed by further signals."""
    signal.signal(signal.SIGTERM, _ignore)  # no SIG_IGN: programs that tests start would inherit it
    raise KeyboardInterrupt


def _ignore(*_: object) -> None:
    pass


def _list_items(groups: Sequence[Group], queue: int, stop: int) -> Iterator[pytest.Item]:
    """Yield tests group by group, until the queue is empty or the parent says stop or is gone."""
    while number := os.read(queue, WIDTH):
        for item in groups[int.from_bytes(number, "big")]:
            if select.select([stop], [], [], 0)[0]:
                return
            yield item


def _run_fork(
    session: pytest.Session,
    items: Iterator[pytest.Item],
    final: Collection[pytest.Item],
    sender: Connection,
) -> NoReturn:
    """Run tests as this process, a fork, and end it."""
    try:
        plugins = session.config.pluginmanager
        plugins.getplugin("terminalreporter")._tw._file = io.StringIO()  # the parent prints
        plugins.register(_Reporter(session.config, sender))
        capture = plugins.getplugin("capturemanager")  # its files are the parent's until now
        capture.stop_global_capturing()
        complaints = os.dup(2)
        capture.start_global_capturing()
        item = next(items, None)
        while item:
            following = next(items, None)
            faulthandler.dump_traceback_later(_find_patience(item), exit=True, file=complaints)
            needed_by = None if item in final else following
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=needed_by)
            item = following
        faulthandler.cancel_dump_traceback_later()
        sender.send(("end", None))
    except KeyboardInterrupt:
        signal.signal(signal.SIGTERM, _ignore)
        session._setupstate.teardown_exact(None)
    except BaseException:
        session._setupstate.teardown_exact(None)
        traceback.print_exc()
        raise
    finally:
        os._exit(0)


def _find_patience(item: pytest.Item) -> float:
    """Return for how many seconds a test may keep its process."""
    own = item.get_closest_marker("timeout")
    seconds = own.args[0] if own else float(item.config.getini("timeout") or 0)
    return float(seconds) + GRACE_SECONDS


class _Reporter:
    """Sends what a fork's tests report."""

    def __init__(self, config: pytest.Config, sender: Connection) -> None:
        self._config, self._sender = config, sender

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self._config.hook
        told = hook.pytest_report_to_serializable(config=self._config, report=report)
        self._sender.send(("report", told))

    def pytest_warning_recorded(
        self,
        warning_message: warnings.WarningMessage,
        when: str,
        nodeid: str,
        location: tuple[str, int, str] | None,
    ) -> None:
        said = warning_message
        message = warnings.WarningMessage(
            str(said.message), said.category, said.filename, said.lineno
        )
        told = {"warning_message": message, "when": when, "nodeid": nodeid, "location": location}
        self._sender.send(("warning", told))
