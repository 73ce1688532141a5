"""Layout of a stack: its processes, ports and environment."""

import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import SettingsError
from temporalio.envconfig import ClientConfig

from contracts.notices import Notice
from contracts.problems import Problem, join_problems, list_problems
from contracts.runs.samples import SAMPLE
from contracts.search import KEYS, ServiceName, name_service, name_services
from greenlight.bootstrap import IS_CLONE
from greenlight.errors import CommandError
from greenlight.stack.home import Addresses, Home, load_secret
from greenlight.stack.host_guard import LOOPBACK, UNOPENED
from greenlight.stack.ports import reserve_ports
from greenlight.stack.postgres import PostgresCluster
from greenlight.stack.processes import Child
from greenlight.stack.temporal_server import make_dev_server
from offline.access import KEY, KEY_VARIABLE
from offline.filings.filing_store import find_facts_files
from offline.recordings.answers import SAMPLES
from settings import SEARCH_SECRETS, SECRETS, Settings

PORTS = {"offline": 8461, "postgres": 8462, "temporal": 7233, "temporal_ui": 8233}
KEPT_PORTS = ("offline", "gateway")
"""Processes that keep their port over restarts: runs, bookmarks and share links contain it."""
UNGUARDED_UI = "unguarded_ui"
"""Port of Temporal's own UI server, which is only reached through the guard at `temporal_ui`."""
READY_LINES = {
    **dict.fromkeys(("worker", "crew-worker", "gateway"), '"message": "ready"'),
    "offline": '{"model": ',
}


def load_settings() -> Settings:
    """Load the settings.

    Raises:
        CommandError: a setting is invalid; its value, which may be secret, is not shown.
    """
    try:
        return Settings()
    except ValidationError as error:
        found = [
            (*problem.path.partition("."), problem) for problem in list_problems(error.errors())
        ]
        problems = [
            Problem.told(name.upper() + dot + at, why.notice) for name, dot, at, why in found
        ]
        raise CommandError(join_problems(problems).text) from None
    except SettingsError as error:
        raise CommandError(f"{error}; write it as JSON") from None


def find_database() -> str:
    """Return the URL of the database that `DATABASE_URL` names, or else of the stack running here.

    Raises:
        Unreachable: neither is there.
    """
    settings = load_settings()
    if "database_url" in settings.model_fields_set and settings.database_url:
        return settings.database_url
    return Home.from_environment().require_running().database


def _tell_unconfigured(name: ServiceName, configured: Sequence[ServiceName]) -> str:
    known = name_services(configured) or None
    service = name_service(name)
    return Notice.of("search-unconfigured", service=service, setting=KEYS[name], known=known).text


@dataclass(frozen=True)
class Layout:
    """A stack in `home`; servers that `settings` name elsewhere are not started."""

    home: Home
    settings: Settings
    library: Path | None = None
    pace: float = 0.0

    @cached_property
    def ports(self) -> dict[str, int]:
        """Ports by name, reserved once; a restarted process keeps its port.

        Those of `KEPT_PORTS` stay the home's over restarts, unless `GREENLIGHT_PORT` names another.
        """
        wanted = self.settings.greenlight_port
        is_named = self._is_set("greenlight_port")
        kept = {
            name: [self.home.load_port(name), first]
            for name, first in (("offline", PORTS["offline"]), ("gateway", wanted))
        }
        if is_named:
            kept["gateway"] = [wanted]
        ports = reserve_ports({**PORTS, UNGUARDED_UI: UNOPENED, **kept})
        if is_named and ports["gateway"] != wanted:
            raise CommandError(f"GREENLIGHT_PORT: another process has port {wanted}")
        return ports

    @property
    def cluster(self) -> PostgresCluster | None:
        """The stack's own database server, or None if `DATABASE_URL` is set."""
        return None if self._is_set("database_url") else PostgresCluster(self.home.path)

    @property
    def has_own_temporal(self) -> bool:
        """True if the stack runs Temporal's dev server."""
        return not os.environ.get("TEMPORAL_ADDRESS") and not os.environ.get("TEMPORAL_PROFILE")

    @cached_property
    def temporal(self) -> dict[str, Any]:
        """Arguments of `Client.connect`."""
        if self.has_own_temporal:
            return {"target_host": f"{LOOPBACK}:{self.ports['temporal']}"}
        return {"target_host": f"{LOOPBACK}:7233", **ClientConfig.load_client_connect_config()}

    @cached_property
    def offline(self) -> dict[str, str]:
        """URLs of the offline services that replace a provider, by name.

        Raises:
            CommandError: GREENLIGHT_SEARCH names a service that is not configured.
        """
        configured = self.settings.list_search_services()
        wants_sample = self.settings.greenlight_library == SAMPLE
        for name in self.settings.choose_search_services():
            if name not in configured and not wants_sample:
                raise CommandError(f"GREENLIGHT_SEARCH: {_tell_unconfigured(name, configured)}")
        base = f"http://{LOOPBACK}:{self.ports['offline']}"
        searches = not self.library and (not configured or wants_sample)
        has_no_contact = (searches or self.library) and not self.settings.edgar_contact
        needed = {
            "model": not self.settings.asks_a_provider,
            "search": searches,
            "edgar": bool(has_no_contact) or bool(find_facts_files(self.library)),
        }
        services = {name: base for name, is_needed in needed.items() if is_needed}
        requests = f"{base}/requests?{KEY}={self._offline_key}"
        return services | {"requests": requests} if services else {}

    @cached_property
    def _offline_key(self) -> str:
        """The key to the offline services' switches and log of requests, new at each start."""
        return secrets.token_urlsafe()

    @property
    def database(self) -> str:
        """URL of the database."""
        own = self.cluster
        return own.dsn(self.ports["postgres"]) if own else self.settings.database_url

    @property
    def database_owner(self) -> str:
        """URL of the database for the owner of its tables."""
        own, settings = self.cluster, self.settings
        if own:
            return own.owner_dsn(self.ports["postgres"])
        return settings.database_owner_url or settings.database_url

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables of workers and gateway, in addition to the parent's."""
        environment = {
            "DATABASE_URL": self.database,
            "DATABASE_OWNER_URL": "",  # processes that serve requests must not act as the owner
            "GREENLIGHT_HOST": LOOPBACK,
            "GREENLIGHT_PORT": str(self.ports["gateway"]),
            "GREENLIGHT_INSTALLS": "true",
        }
        if not self._is_set("blob_url"):
            environment["BLOB_URL"] = (self.home.path / "blobs").as_uri()
        if self.has_own_temporal:
            environment |= {
                "TEMPORAL_ADDRESS": self.temporal["target_host"],
                "TEMPORAL_NAMESPACE": "default",
                "GREENLIGHT_TEMPORAL_UI": f"{self._temporal_ui}/namespaces/default",
                "GREENLIGHT_SEARCH_ATTRIBUTES": "true",
                "GREENLIGHT_BUILD_ID": "",  # only one release runs, and no deployment makes it current
                "TEMPORAL_CONFIG_FILE": os.devnull,  # a user's profile is for another server
            }
        if model := self.offline.get("model"):
            environment |= {"ANTHROPIC_API_KEY": "offline", "ANTHROPIC_BASE_URL": model}
            environment["GREENLIGHT_OFFLINE"] = "true"
        if search := self.offline.get("search"):
            environment |= {"BRAVE_API_KEY": "offline", "BRAVE_BASE_URL": search}
            environment["GREENLIGHT_SEARCH_CONFIGURED"] = environment["GREENLIGHT_SEARCH"] = "brave"
            environment["GREENLIGHT_FETCH_ALLOW"] = f'["{search.removeprefix("http://")}"]'
            environment["GREENLIGHT_LIBRARY"] = SAMPLE
        elif services := self.settings.list_search_services():
            environment["GREENLIGHT_SEARCH_CONFIGURED"] = ",".join(services)
        environment["GREENLIGHT_MCP_CONFIGURED"] = ",".join(self.settings.list_tool_servers())
        if self._replays_samples:
            environment["GREENLIGHT_SAMPLES"] = str(SAMPLES)
        if self.library:
            environment["GREENLIGHT_LIBRARY_FOLDER"] = str(self.library.resolve())
        if edgar := self.offline.get("edgar"):
            environment |= {"EDGAR_CONTACT": "offline@greenlight.example", "EDGAR_BASE_URL": edgar}
            environment["EDGAR_WWW_URL"] = edgar
            if not self.settings.prices_url:
                environment["PRICES_URL"] = f"{edgar}/closes/{{ticker}}.csv"
        return environment

    @property
    def _replays_samples(self) -> bool:
        """True if the recorded runs find what they were recorded with: the sample library and filings."""
        is_chosen = "greenlight_samples" in self.settings.model_fields_set
        return not (is_chosen or self.library) and {"model", "search", "edgar"} <= {*self.offline}

    @property
    def _temporal_ui(self) -> str:
        return f"http://{LOOPBACK}:{self.ports['temporal_ui']}"

    def _signing_key(self) -> dict[str, str]:
        if self._is_set("greenlight_signing_key"):
            return self._secrets("greenlight_signing_key")
        return {"GREENLIGHT_SIGNING_KEY": load_secret(self.home.path / "signing.key")}

    def _secrets(self, *names: str) -> dict[str, str]:
        return {name.upper(): getattr(self.settings, name).get_secret_value() for name in names}

    def temporal_server(self) -> Child:
        """Make Temporal's dev server."""
        return make_dev_server(self.home, self.ports["temporal"], self.ports[UNGUARDED_UI])

    def services(self) -> list[Child]:
        """Make worker, gateway and, where needed, the offline services."""
        secrets = ("greenlight_channel_keys", "greenlight_payload_keys")
        keys = self._signing_key() | self._secrets(*secrets)
        environment = self.environment | keys
        children = [self.worker(), self._make_child("gateway", environment, "api.app")]
        if self.offline:
            options = ["--port", str(self.ports["offline"]), "--pace", str(self.pace)]
            if self.library:
                options += ["--filings", str(self.library)]
            key = {KEY_VARIABLE: self._offline_key}
            children.append(self._make_child("offline", key, "offline", *options))
        return children

    def worker(self) -> Child:
        """Make a worker."""
        keys = self._secrets(*SECRETS) | self._signing_key()
        return self._make_child("worker", keys | self.environment, "worker")

    def crew_worker(self) -> Child:
        """Make the crew worker."""
        servers = ("greenlight_servers", "greenlight_mcp_servers")
        names = ("anthropic_api_key", *servers, "greenlight_payload_keys", *SEARCH_SECRETS)
        environment = self._secrets(*names) | self.environment
        environment["GREENLIGHT_CREW_SCRATCH"] = str(self.home.path / "crew")
        return self._make_child("crew-worker", environment, "worker", "crews")

    def addresses(self, pids: dict[str, int]) -> Addresses:
        """Return the stack's addresses."""
        return Addresses(
            gateway=f"http://{LOOPBACK}:{self.ports['gateway']}",
            temporal=self.temporal["target_host"],
            temporal_ui=self._temporal_ui if self.has_own_temporal else None,
            database=self.database,
            offline=self.offline or None,
            library=str(self.library) if self.library else None,
            home=str(self.home.path),
            pids=pids,
        )

    def _make_child(
        self, name: str, environment: Mapping[str, str], module: str, *options: str
    ) -> Child:
        # An installed Greenlight starts in any folder, which may contain its own worker.py or
        # `api`.
        path = [] if IS_CLONE else ["-P"]
        argv = [sys.executable, *path, "-m", module, *options]
        environment = {**environment, **self._place_metrics(name), "PYTHONUNBUFFERED": "1"}
        return Child(name, argv, self.home.log(name), environment, ready_line=READY_LINES[name])

    def _place_metrics(self, name: str) -> dict[str, str]:
        """Return where a process serves metrics: processes of one machine take the ports that follow the configured one."""
        places = {
            "greenlight_metrics": ("gateway", "worker", "crew-worker"),
            "greenlight_temporal_metrics": ("worker", "crew-worker"),
        }
        found = {}
        for setting, processes in places.items():
            host, _, port = getattr(self.settings, setting).rpartition(":")
            if port and name in processes:
                found[setting.upper()] = f"{host}:{int(port) + processes.index(name)}"
        return found

    def _is_set(self, setting: str) -> bool:
        return setting in self.settings.model_fields_set and bool(getattr(self.settings, setting))
