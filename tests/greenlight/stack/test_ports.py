"""Ports are chosen before anybody listens there, and no two stacks choose the same."""

import socket
import subprocess
import sys

from greenlight.stack.ports import reserve_ports


def test_reserved_port_stays_reserved_while_nobody_listens() -> None:
    ours = reserve_ports({"one": 0})["one"]
    other = (
        f"from greenlight.stack.ports import reserve_ports; print(reserve_ports({{'one': {ours}}}))"
    )
    said = subprocess.run(
        [sys.executable, "-c", other], capture_output=True, text=True, check=True
    ).stdout
    assert said.startswith("{'one': ")
    assert str(ours) not in said


def test_fallback_port_is_below_the_ephemeral_range() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        taken = int(listening.getsockname()[1])
        chosen = reserve_ports({"one": taken, "two": taken})
    assert len({taken, *chosen.values()}) == 3
    given_to_connections = 32_768  # the default start of the ephemeral ports
    assert all(1_024 < port < given_to_connections for port in chosen.values())
