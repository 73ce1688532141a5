"""Ports are chosen before anybody listens there, and no two stacks choose the same."""

import subprocess
import sys

from greenlight.processes import free_ports


def test_a_port_stays_ours_while_nobody_listens() -> None:
    ours = free_ports({"one": 0})["one"]
    other = f"from greenlight.processes import free_ports; print(free_ports({{'one': {ours}}}))"
    said = subprocess.run(
        [sys.executable, "-c", other], capture_output=True, text=True, check=True
    ).stdout
    assert said.startswith("{'one': ")
    assert str(ours) not in said
