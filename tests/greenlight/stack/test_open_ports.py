"""Every port that a stack's processes listen on, tried as a web page on this machine could try it."""

import socket
from contextlib import suppress

import httpx
import psutil
import pytest
from temporalio.client import Client

from greenlight.stack.host_guard import UNOPENED
from tests.greenlight.conftest import Up

START = "/api/v1/namespaces/default/workflows/csrf"
READ = "/api/v1/namespaces/default/workflows"
BODY = (
    '{"workflowType":{"name":"Research"},"taskQueue":{"name":"research"},"input":[{"query":"x"}]}'
)
EVIL = "evil.example"


def listening(up: Up) -> set[int]:
    """Return the TCP ports of all processes of the stack."""
    stack = psutil.Process(up.process.pid)
    found = set()
    for process in (stack, *stack.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):  # PostgreSQL ends a process of its own now and then
            found |= {
                c.laddr.port
                for c in process.net_connections("tcp")
                if c.status == psutil.CONN_LISTEN
            }
    return found


def answer(method: str, port: int, path: str, **headers: str) -> int:
    """Return the status of a port's answer; 0 where it does not speak HTTP/1.1."""
    url, body = f"http://127.0.0.1:{port}{path}", BODY if method == "POST" else None
    try:
        said = httpx.request(method, url, content=body, headers=headers, trust_env=False)
    except httpx.TransportError:
        return 0
    return said.status_code


@pytest.fixture
def ports(up: Up) -> set[int]:
    found = listening(up)
    assert len(found) > len(up.addresses["pids"]), "Temporal's own among them"
    return found


async def test_post_by_a_web_page_starts_no_run_on_any_port(up: Up, ports: set[int]) -> None:
    plain = {"Content-Type": "text/plain", "Origin": f"http://{EVIL}"}
    for port in ports:
        assert answer("POST", port, START, **plain) in {0, *range(400, 500)}, port
        assert answer("POST", port, START, **plain, Host=EVIL) in {0, *range(400, 500)}, port
    client = await Client.connect(up.addresses["temporal"])
    assert [run.id async for run in client.list_workflows("WorkflowType = 'Research'")] == []


def test_foreign_host_reads_no_run_on_any_port_that_browsers_open(up: Up, ports: set[int]) -> None:
    """After DNS rebinding a page's own name leads here."""
    assert len(ports & set(UNOPENED)) == 1, "Temporal's UI, behind its guard"
    for port in ports - set(UNOPENED):
        assert answer("GET", port, READ, Host=EVIL) in {0, *range(400, 500)}, port


def test_temporal_ui_is_served_to_this_machines_names(up: Up) -> None:
    at = httpx.URL(up.addresses["temporal_ui"])
    assert at.port
    for host in (f"127.0.0.1:{at.port}", f"localhost:{at.port}"):
        assert answer("GET", at.port, READ, Host=host) == 200
    page = httpx.get(at, trust_env=False)
    assert "<html" in page.text
    assert answer("POST", at.port, START, Host=f"127.0.0.1:{at.port}") == 400, "no CSRF token"


def test_second_request_on_a_connection_to_the_ui_is_not_passed_on(up: Up) -> None:
    at = httpx.URL(up.addresses["temporal_ui"])
    assert at.port
    one = f"GET {READ} HTTP/1.1\r\nHost: {{}}\r\nConnection: keep-alive\r\n\r\n"
    both = one.format(f"127.0.0.1:{at.port}") + one.format(EVIL)
    with socket.create_connection(("127.0.0.1", at.port), timeout=10) as connection:
        connection.sendall(both.encode())
        said = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert said.count(b"HTTP/1.1 ") == 1
