"""Containers as a compose file or a chart describes them, and the settings that each process needs."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from greenlight.bootstrap import ROOT
from greenlight.generated_docs import list_variables
from settings import SECRETS, Settings
from tests.support.product.trees import parse

COMPOSE = ROOT / "deploy" / "compose.yaml"
KNOWN = {variable.name for variable in list_variables()}
READ_BY_TRACING = {
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_TRACES_SAMPLER",
    "OTEL_TRACES_SAMPLER_ARG",
}
"""Variables of OpenTelemetry's SDK that docs/observability.md names; with the chart they go to `extraEnv`."""

SOURCES: dict[str, tuple[Path, ...]] = {
    "gateway": tuple((ROOT / "api").rglob("*.py")),
    "worker": (ROOT / "worker.py",),
    "crew-worker": (ROOT / "worker.py",),
    "codec": (ROOT / "api" / "codec_server.py",),
    "migrate": (ROOT / "greenlight" / "stack" / "database.py",),
}
"""Our containers, and the files that read each one's settings."""

ONE_MACHINE = {
    *("GREENLIGHT_INSTALLS", "GREENLIGHT_LIBRARY_FOLDER"),
    *("GREENLIGHT_OFFLINE", "GREENLIGHT_SAMPLES"),
}
"""Settings of stand-ins and folders, which containers do not need."""
IN_IMAGE = {"GREENLIGHT_CREW_SCRATCH", "GREENLIGHT_PROBE_FOLDER"}
"""Set by the Dockerfile."""
LISTENS = {
    "gateway": {"GREENLIGHT_CODEC_HOST", "GREENLIGHT_CODEC_PORT", "GREENLIGHT_PORT"},
    "codec": {"GREENLIGHT_CODEC_PORT"},
    "worker": {"GREENLIGHT_HOST", "GREENLIGHT_PORT"},
    "crew-worker": {"GREENLIGHT_HOST", "GREENLIGHT_PORT"},
}
"""Addresses that stay at their default, or that GREENLIGHT_PUBLIC_URL takes the place of."""
BY_NAME = {"SEARCH_ENDPOINT_URL", "SEARXNG_URL"}
"""Addresses of search services; gateway and `migrate` only need GREENLIGHT_SEARCH_CONFIGURED."""
NOT_OF_CREWS = {
    *("EDGAR_BASE_URL", "EDGAR_CONTACT", "EDGAR_WWW_URL", "PRICES_CURRENCY", "PRICES_URL"),
    *("EMBEDDER_MODEL", "EMBEDDER_URL", "GREENLIGHT_RETENTION_DAYS"),
    *("GREENLIGHT_ALERT_ALLOW", "GREENLIGHT_ALERT_PATIENCE", "GREENLIGHT_ALERT_PAUSE"),
}
"""Settings of the research worker's activities: crews read no filings and send no alerts."""
NOT_OF_RESEARCH = {"GREENLIGHT_MAX_CREWS"}

_SIGNING = {"GREENLIGHT_SIGNING_KEY", "GREENLIGHT_CHANNEL_KEYS"}
_PAYLOADS = {"GREENLIGHT_PAYLOAD_KEYS"}
_OWNER = {"DATABASE_OWNER_URL"}
_OF_SETTINGS = {name.upper() for name in SECRETS}
_ALL_SECRETS = _OF_SETTINGS | _OWNER
SECRETS_OF: dict[str, set[str]] = {
    "gateway": _SIGNING | _PAYLOADS,
    "worker": _OF_SETTINGS,
    "crew-worker": _OF_SETTINGS - _SIGNING - {"EMBEDDER_API_KEY", "SMTP_URL"},
    "codec": _PAYLOADS,
    "migrate": {"GREENLIGHT_SERVERS"} | _OWNER,  # the servers: whether each model has a price
}
"""The secrets that each process is given, and no others."""


@dataclass(frozen=True)
class Container:
    """A container's configuration at its start."""

    name: str
    image: str
    command: list[str]
    variables: set[str]
    user: int
    read_only: bool
    may_gain_privileges: bool
    drops_all: bool
    memory: str
    cpus: str


def read_compose() -> dict[str, dict[str, Any]]:
    """Return the services of the compose file, its anchors resolved."""
    services: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE.read_text("utf-8"))["services"]
    return services


def list_services() -> Iterator[Container]:
    """Yield the containers of the compose file."""
    for name, service in read_compose().items():
        yield Container(
            name=name,
            image=service["image"],
            command=str(service.get("command", "")).split(),
            variables=set(service["environment"]),
            user=int(str(service.get("user", "0")).split(":")[0]),
            read_only=service.get("read_only", False),
            may_gain_privileges="no-new-privileges:true" not in service.get("security_opt", []),
            drops_all=service.get("cap_drop") == ["ALL"],
            memory=str(service.get("mem_limit", "")),
            cpus=str(service.get("cpus", "")),
        )


def find_needs(process: str) -> set[str]:
    """Return the settings that the code of a process reads, by way of methods of `Settings` too; no secrets."""
    fields, methods = set(Settings.model_fields), _list_methods()
    pending = [
        found.attr
        for path in SOURCES[process]
        for found in ast.walk(parse(path))
        if isinstance(found, ast.Attribute) and "settings" in ast.unparse(found.value).lower()
    ]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending += methods.get(name, ())
    needs = {name.upper() for name in seen & fields}
    if process == "crew-worker":
        needs -= NOT_OF_CREWS
    if process == "worker":
        needs -= NOT_OF_RESEARCH
    if process in {"gateway", "migrate"}:
        needs -= BY_NAME
    return needs - _ALL_SECRETS - ONE_MACHINE - IN_IMAGE - LISTENS.get(process, set())


def _list_methods() -> dict[str, set[str]]:
    """Return what each method of `Settings` reads of `self`."""
    tree = parse(ROOT / "settings.py")
    [settings] = [c for c in tree.body if isinstance(c, ast.ClassDef) and c.name == "Settings"]
    return {
        method.name: {
            found.attr
            for found in ast.walk(method)
            if isinstance(found, ast.Attribute) and ast.unparse(found.value) == "self"
        }
        for method in settings.body
        if isinstance(method, ast.FunctionDef)
    }


def list_disagreements(containers: Iterable[Container]) -> list[str]:
    """Return where our containers' variables and the settings disagree."""
    found = []
    for each in containers:
        if each.name not in SOURCES:
            continue
        needs, secrets = find_needs(each.name), each.variables & _ALL_SECRETS
        found += [f"{each.name} lacks {name}" for name in sorted(needs - each.variables)]
        if each.name in {"gateway", "worker", "crew-worker"} and not _has_temporal(each):
            found.append(f"{each.name} is not told where Temporal is")
        unknown = sorted(each.variables - KNOWN - READ_BY_TRACING)
        found += [f"{each.name} has {name}, which nobody reads" for name in unknown]
        for name in sorted(secrets ^ SECRETS_OF[each.name]):
            found.append(f"{each.name} {'has' if name in secrets else 'lacks'} the secret {name}")
    return found


def _has_temporal(container: Container) -> bool:
    return "TEMPORAL_ADDRESS" in container.variables


def list_offences(containers: Iterable[Container]) -> list[str]:
    """Return which containers break the policy: no root, nothing writable, limits, images of one version."""
    return [
        f"{each.name} {offence}"
        for each in containers
        for offence, is_broken in {
            "runs as root": not each.user,
            "has a root that can be written": not each.read_only,
            "may gain privileges": each.may_gain_privileges,
            "keeps capabilities": not each.drops_all,
            "has no limit of memory": not each.memory,
            "has no limit of processors": not each.cpus,
            "has an image without a version": not _names_version(each.image),
        }.items()
        if is_broken
    ]


def _names_version(image: str) -> bool:
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    return "@sha256:" in image or any(part.isdigit() for part in tag.replace("-", ".").split("."))
