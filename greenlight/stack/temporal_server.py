"""Temporal's dev server on this machine, and its tuning."""

import sysconfig
from pathlib import Path

from greenlight.stack.home import Home
from greenlight.stack.processes import Child
from temporal.search_attributes import SEARCH_ATTRIBUTES

DEV_SERVER_FLAGS = (
    # The default rate limits would make short steps mostly wait for the server's queues.
    *("--dynamic-config-value", "history.transferProcessorMaxPollRPS=2000"),
    *("--dynamic-config-value", "history.transferProcessorMaxPollHostRPS=5000"),
    # Its HTTP API starts and approves runs for any page that finds its port: no Host is allowed.
    *("--dynamic-config-value", 'frontend.httpAllowedHosts=["none.invalid"]'),
    # An operator may hold a run (`temporal workflow pause`).
    *("--dynamic-config-value", "frontend.WorkflowPauseEnabled=true"),
    # Enable fairness keys, so that users take turns; this needs a single partition per queue.
    *("--dynamic-config-value", "matching.enableFairness=true"),
    *("--dynamic-config-value", "matching.numTaskqueueReadPartitions=1"),
    *("--dynamic-config-value", "matching.numTaskqueueWritePartitions=1"),
    *(f"--search-attribute={name}={kind}" for name, kind in SEARCH_ATTRIBUTES.items()),
)
# In WAL mode a kill loses nothing; `normal` may lose the last moments before a power failure.
SQLITE_FLAGS = ("--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=normal")

# Garbage collected half as often costs a sixth less processor time and half as much memory again;
# stacks that begin as large as most become are not copied while they grow.
ENVIRONMENT = {"GOGC": "300", "GODEBUG": "adaptivestackstart=1"}
# Go's monitor wakes every 20 µs while there is work: a fifth of the server's processor time.
TIMER_SLACK_NS = 2_000_000


def make_dev_server(home: Home, port: int, ui_port: int) -> Child:
    """Make the server process."""
    address = ("--ip", "127.0.0.1", "--port", str(port), "--ui-port", str(ui_port))
    database = ("--db-filename", str(home.path / "temporal.db"), *SQLITE_FLAGS)
    options = (*address, *database, "--log-level", "error", *DEV_SERVER_FLAGS)
    argv = [find_program(), "server", "start-dev", *options]
    return Child("temporal", argv, home.log("temporal"), ENVIRONMENT, timer_slack_ns=TIMER_SLACK_NS)


def find_program() -> str:
    """Return the path of the wheel's `temporal`."""
    return str(Path(sysconfig.get_path("scripts")) / "temporal")
