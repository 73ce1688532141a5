"""The stack as a person meets it: one process tree, started, hurt and stopped; in this order."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

import httpx
import psycopg
import pytest
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.client import Client

from greenlight.stack.home import Addresses, Home
from greenlight.stack.ports import reserve_ports
from greenlight.stack.postgres import PostgresCluster
from greenlight.stack.up import hide_secrets
from temporal.search_attributes import SEARCH_ATTRIBUTES
from tests.greenlight.conftest import Command, Up
from tests.support.offline_services import Providers

RIVALS = """# Solar pump suppliers in Kenya

Futurepump, a rival from the UK, sold 4,000 solar irrigation pumps in Kenya in 2023.
"""


def eventually(holds: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "still not so"
        time.sleep(0.05)


def lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def tree(pids: Iterable[int]) -> set[int]:
    """Return processes with all their descendants."""
    found = set(pids)
    for pid in list(found):
        with contextlib.suppress(OSError):  # it has just ended
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
            found |= tree(map(int, children))
    return found


def answers(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code < 400
    except httpx.TransportError:
        return False


async def test_every_address_in_the_json_line_responds(up: Up) -> None:
    at = up.addresses
    printed = hide_secrets(Addresses.model_validate(at))
    assert up.printed == printed.model_dump()
    assert up.printed["database"] != at["database"]
    assert list(at) == [
        *("gateway", "temporal", "temporal_ui", "database", "offline", "library", "home", "pids")
    ]
    assert answers(f"{at['gateway']}/readyz")
    assert answers(at["temporal_ui"])
    assert answers(at["offline"]["requests"])
    assert at["offline"]["edgar"] == at["offline"]["search"]
    async with await psycopg.AsyncConnection.connect(at["database"]) as connection:
        await connection.execute("SELECT 1 FROM runs")
    processes = {"gateway", "worker", "crew-worker", "postgres", "temporal", "offline"}
    assert set(at["pids"]) == processes
    assert all(map(lives, at["pids"].values()))


async def test_search_attributes_are_registered(up: Up) -> None:
    client = await Client.connect(up.addresses["temporal"])
    listed = await client.operator_service.list_search_attributes(
        ListSearchAttributesRequest(namespace="default")
    )
    kinds = {name: IndexedValueType.Name(kind) for name, kind in listed.custom_attributes.items()}
    assert {n: k.upper() for n, k in SEARCH_ATTRIBUTES.items()}.items() <= {
        name: kind.removeprefix("INDEXED_VALUE_TYPE_") for name, kind in kinds.items()
    }.items()


@pytest.mark.full
def test_second_stack_in_a_home_is_refused_with_the_first_ones_address(up: Up) -> None:
    code, output, complaint = up.command.run("up", "--json")
    assert (code, output) == (1, "")
    assert up.addresses["gateway"] in complaint


KILLED = [
    "postgres",  # the others are killed beneath runs, in tests/chaos
    *(
        pytest.param(n, marks=pytest.mark.full)
        for n in ("gateway", "worker", "temporal", "offline")
    ),
]


@pytest.mark.parametrize("name", KILLED)
def test_a_killed_process_is_started_again_in_its_place(up: Up, name: str) -> None:
    old = up.note()["pids"][name]
    os.kill(old, signal.SIGKILL)
    eventually(lambda: up.note()["pids"][name] != old)
    eventually(lambda: answers(f"{up.addresses['gateway']}/readyz"))
    note, ready = up.note(), up.addresses
    assert note | {"pids": 0} == ready | {"pids": 0}


@pytest.mark.full
def test_process_that_fails_to_restart_is_retried(up: Up) -> None:
    """As on a full disk."""
    old, log = up.note()["pids"]["gateway"], up.command.home / "logs" / "gateway.log"
    log.unlink()
    log.mkdir()
    os.kill(old, signal.SIGKILL)
    time.sleep(1)
    log.rmdir()
    eventually(lambda: up.note()["pids"]["gateway"] != old)
    eventually(lambda: answers(f"{up.addresses['gateway']}/readyz"))


async def test_sigterm_stops_everything_and_keeps_the_data(up: Up, tmp_path: Path) -> None:
    everything = tree([up.process.pid])
    assert len(everything) > len(up.addresses["pids"])
    postgres = up.note()["pids"]["postgres"]
    up.process.send_signal(signal.SIGTERM)
    eventually(lambda: Home(up.command.home).find_running() is None)
    assert lives(postgres), "nobody joins a stack that is stopping"
    assert up.process.communicate(timeout=30)[0] == ""
    assert up.process.returncode == 0
    # What `npm` has started ends by itself, and no later than a moment after it.
    eventually(lambda: not any(map(lives, everything)), seconds=5)
    assert not (up.command.home / "stack.json").exists()
    async with (
        serve_database(up.command.home, tmp_path / "postgres.log") as database,
        await psycopg.AsyncConnection.connect(database) as connection,
    ):
        await connection.execute("SELECT 1 FROM runs")


@contextlib.asynccontextmanager
async def serve_database(home: Path, log: Path) -> AsyncIterator[str]:
    """Run the database of a stack that has ended, without the rest of the stack."""
    cluster, port = PostgresCluster(home), reserve_ports({"postgres": 0})["postgres"]
    cluster.initialize()
    server = cluster.make_server(port, log)
    await server.start()
    try:
        await server.wait_until_ready(lambda: cluster.create_database(port))
        yield cluster.dsn(port)
    finally:
        await server.stop()


@pytest.mark.full
async def test_restarted_stack_finds_the_data_and_sigkill_leaves_nothing(tmp_path: Path) -> None:
    command = Command(tmp_path / "home")
    Up.start(command).stop()
    again = Up.start(command)
    async with await psycopg.AsyncConnection.connect(again.addresses["database"]) as connection:
        await connection.execute("SELECT 1 FROM runs")
    everything = tree([again.process.pid])
    again.stop(signal.SIGKILL)
    eventually(lambda: not any(map(lives, everything)))


@pytest.mark.full
async def test_nothing_outlives_a_stack_that_is_killed_with_calls_out(tmp_path: Path) -> None:
    """Nobody is left to journal the calls, and the workers do not wait for that."""
    up = Up.start(Command(tmp_path / "home"))
    try:
        await have_calls_out(up)
        everything = tree([up.process.pid])
    finally:
        up.stop(signal.SIGKILL)
    eventually(lambda: not any(map(lives, everything)), seconds=5)


async def have_calls_out(up: Up) -> None:
    """Start four runs that all wait for the model."""
    at = up.addresses["offline"]
    async with (
        httpx.AsyncClient(base_url=up.addresses["gateway"], trust_env=False) as http,
        httpx.AsyncClient(
            base_url=at["model"], params=httpx.URL(at["requests"]).params, trust_env=False
        ) as offline,
    ):
        providers = Providers(offline)
        await providers.told(latency=60)
        for _ in range(4):
            body = {"query": "How many pumps?", "fresh": True}
            started = await http.post("/v1/workflows/planning_and_control/run", json=body)
            assert started.status_code == 202, started.text
        await providers.until("model", 4)


@pytest.mark.full
def test_run_resumes_over_the_library_it_was_started_with(tmp_path: Path) -> None:
    command, library = Command(tmp_path / "home"), tmp_path / "docs"
    library.mkdir()
    (library / "kenya.md").write_text("# Kenya\n\nKenya has 55 million people.\n", "utf-8")
    begun = ("run", "--library", str(library), "--pace", "0", "How many people?")
    code, _, said = command.run(*begun)
    run = re.search(r"watch (\S+)", said)
    assert (code, run is not None) == (3, True), said
    again = Up.start(command)
    assert again.addresses["library"] == str(library)
    cancelled = f"{again.addresses['gateway']}/v1/runs/{run and run[1]}/cancel"
    assert httpx.post(cancelled, json={}, trust_env=False).is_success
    runs = f"{again.addresses['gateway']}/v1/runs"
    eventually(lambda: httpx.get(runs, trust_env=False).json()["items"][0]["ended_at"] is not None)
    again.stop()
    assert Home(command.home).load_library() is None, "nothing is left that was begun with it"


@pytest.mark.full
def test_a_crew_works_over_the_readers_own_documents(tmp_path: Path) -> None:
    library = tmp_path / "docs"
    library.mkdir()
    (library / "rivals.md").write_text(RIVALS, "utf-8")
    of_crew = ("--definition", "market_analysis", "--library", str(library), "--yes")
    question = "I want to sell solar irrigation pumps to farms in Kenya"
    command = Command(tmp_path / "home")
    code, report, said = command.run("run", *of_crew, "--pace", "0", question, seconds=110)
    assert code == 0, said
    assert "Futurepump" in report
    assert "rivals.md" in report


@pytest.mark.full
def test_commands_at_once_share_the_stack_that_one_of_them_starts(tmp_path: Path) -> None:
    command = Command(tmp_path / "home")
    asked = [command.start("runs", stderr=subprocess.STDOUT) for _ in range(3)]
    told = [process.communicate(timeout=90)[0] for process in asked]
    assert [process.returncode for process in asked] == [0, 0, 0], told
    results = [said.partition("nothing yet\n") for said in told]
    assert all(result for _, result, _ in results), told
    assert any("stopping" in after for _, _, after in results)
    assert not any("stopping" in before for before, _, _ in results)


@pytest.mark.full
def test_two_stacks_that_start_at_once_share_no_port(tmp_path: Path) -> None:
    processes = [Command(tmp_path / name / "home").start("up", "--json") for name in "ab"]
    lines = []
    for process in processes:
        assert process.stdout is not None
        lines.append(json.loads(process.stdout.readline()))
    for process in processes:
        process.send_signal(signal.SIGTERM)
    complaints = [process.communicate(timeout=30)[1] for process in processes]
    assert not any("ended" in said for said in complaints), "none had to be started again"
    for name in ("gateway", "temporal", "temporal_ui", "database", "offline"):
        assert lines[0][name] != lines[1][name]


@pytest.mark.full
def test_ctrl_c_while_starting_leaves_nothing(tmp_path: Path) -> None:
    process = Command(tmp_path / "home").start("up", "--json")
    eventually((tmp_path / "home" / "logs" / "worker.log").exists)
    everything = tree([process.pid])
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert (process.returncode, output) == (0, "")
    assert not [pid for pid in everything if lives(pid)]
