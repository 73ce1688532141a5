import subprocess
import sys

from greenlight.bootstrap import ROOT
from temporal.traces import start_tracing

SCRIPT = """
import sys, api.app, worker
sys.exit(any(name.startswith(("opentelemetry.sdk", "opentelemetry.exporter")) for name in sys.modules))
"""


def test_processes_that_send_no_traces_import_no_sdk() -> None:
    assert start_tracing("", "worker") == []
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, check=False)
    assert done.returncode == 0
