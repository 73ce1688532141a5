"""What a stack consists of: which processes, on which ports, told what by their environment."""

import asyncio
import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError
from pydantic_settings import SettingsError

from greenlight.stack import temporal_server as temporal
from greenlight.stack.home import Addresses, Home, kept_secret
from greenlight.stack.host_guard import UNOPENED, guard_host
from greenlight.stack.postgres import Cluster
from greenlight.stack.processes import Child, StackError, free_ports
from offline.access import KEY, KEY_VARIABLE
from offline.filings.cabinet import facts_files
from settings import Settings

PORTS = {"offline": 8461, "postgres": 8462, "temporal": 7233, "temporal_ui": 8233}
UNGUARDED_UI = "unguarded_ui"
"""Where Temporal serves its UI, behind the guard at `temporal_ui`."""
LOOPBACK = "127.0.0.1"


def read_settings() -> Settings:
    """Return the settings; a bad one is a `StackError` that names it and keeps its value."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = [f"{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()]
        raise StackError("; ".join(wrong)) from None
    except SettingsError as error:
        raise StackError(f"{error}; it is written as JSON") from None


@dataclass(frozen=True)
class Layout:
    """A stack in `home` under `settings`: what they point at elsewhere is not started here."""

    home: Home
    settings: Settings
    library: Path | None = None
    pace: float = 0.0

    @cached_property
    def ports(self) -> dict[str, int]:
        """Return the ports, chosen once and kept when a process is started again."""
        wanted = self.settings.greenlight_port
        ports = free_ports({**PORTS, UNGUARDED_UI: UNOPENED, "gateway": wanted})
        if self._is_set("greenlight_port") and ports["gateway"] != wanted:
            raise StackError(f"GREENLIGHT_PORT is {wanted}, and another process has that port")
        return ports

    @property
    def cluster(self) -> Cluster | None:
        """Return our own database, unless `DATABASE_URL` names another."""
        return None if self._is_set("database_url") else Cluster(self.home.path)

    @property
    def has_own_temporal(self) -> bool:
        """Tell whether Temporal's dev server is ours to run."""
        return not os.environ.get("TEMPORAL_ADDRESS") and not os.environ.get("TEMPORAL_PROFILE")

    @property
    def offline(self) -> dict[str, str]:
        """Return the addresses of the offline services that stand in for a provider."""
        base = f"http://{LOOPBACK}:{self.ports['offline']}"
        needed = {
            "model": not self.settings.anthropic_api_key.get_secret_value(),
            "search": bool(self.library) or not self.settings.brave_api_key.get_secret_value(),
        }
        has_no_contact = needed["search"] and not self.settings.edgar_contact
        needed["edgar"] = has_no_contact or self._has_facts
        services = {name: base for name, is_needed in needed.items() if is_needed}
        requests = f"{base}/requests?{KEY}={self._offline_key}"
        return services | {"requests": requests} if services else {}

    @cached_property
    def _offline_key(self) -> str:
        """Return the key to the offline services' switches and log of requests, new at each start."""
        return secrets.token_urlsafe()

    @cached_property
    def _has_facts(self) -> bool:
        return bool(facts_files(self.library))

    @property
    def database(self) -> str:
        """Return the URL of the database."""
        own = self.cluster
        return own.dsn(self.ports["postgres"]) if own else self.settings.database_url

    @property
    def environment(self) -> dict[str, str]:
        """Return what worker and gateway are told on top of our own environment."""
        told = {
            "DATABASE_URL": self.database,
            "GREENLIGHT_HOST": LOOPBACK,
            "GREENLIGHT_PORT": str(self.ports["gateway"]),
        }
        if not self._is_set("greenlight_signing_key"):
            told["GREENLIGHT_SIGNING_KEY"] = kept_secret(self.home.path / "signing.key")
        if not self._is_set("blob_url"):
            told["BLOB_URL"] = (self.home.path / "blobs").as_uri()
        if self.has_own_temporal:
            told |= {
                "TEMPORAL_ADDRESS": f"{LOOPBACK}:{self.ports['temporal']}",
                "TEMPORAL_NAMESPACE": "default",
                "GREENLIGHT_SEARCH_ATTRIBUTES": "true",
                "TEMPORAL_CONFIG_FILE": os.devnull,  # somebody's profile is for another server
            }
        return told | self._stand_ins()

    def _stand_ins(self) -> dict[str, str]:
        told: dict[str, str] = {}
        if model := self.offline.get("model"):
            told |= {"ANTHROPIC_API_KEY": "offline", "ANTHROPIC_BASE_URL": model}
            told["GREENLIGHT_OFFLINE"] = "true"
        if search := self.offline.get("search"):
            told |= {"BRAVE_API_KEY": "offline", "BRAVE_BASE_URL": search}
            told["GREENLIGHT_FETCH_ALLOW"] = f'["{search.removeprefix("http://")}"]'
        if edgar := self.offline.get("edgar"):
            told |= {"EDGAR_CONTACT": "offline@greenlight.example", "EDGAR_BASE_URL": edgar}
            told["EDGAR_WWW_URL"] = edgar
        return told

    def postgres_server(self, cluster: Cluster) -> Child:
        """Return PostgreSQL, not yet started."""
        return cluster.server(self.ports["postgres"], self._log("postgres"))

    def temporal_server(self) -> Child:
        """Return Temporal's dev server, not yet started."""
        file, ports = self.home.path / "temporal.db", self.ports
        log = self._log("temporal")
        return temporal.dev_server(file, ports["temporal"], ports[UNGUARDED_UI], log)

    async def temporal_ui(self) -> asyncio.Server:
        """Serve Temporal's UI at its address, to this machine's own names alone."""
        return await guard_host(self.ports["temporal_ui"], self.ports[UNGUARDED_UI])

    def offline_services(self) -> Child:
        """Return the offline services, not yet started."""
        options = ["--port", str(self.ports["offline"]), "--pace", str(self.pace)]
        if self.library:
            options += ["--library", str(self.library)]
        return self._python("offline", {KEY_VARIABLE: self._offline_key}, "offline", *options)

    def worker(self) -> Child:
        """Return the worker, not yet started."""
        return self._python("worker", self.environment, "worker")

    def crew_worker(self) -> Child:
        """Return the worker of crews, not yet started."""
        scratch = {"GREENLIGHT_CREW_SCRATCH": str(self.home.path / "crew")}
        return self._python("crew-worker", self.environment | scratch, "worker", "crews")

    def gateway(self) -> Child:
        """Return the gateway, not yet started."""
        return self._python("gateway", self.environment, "api.app")

    def addresses(self, pids: dict[str, int]) -> Addresses:
        """Return where everything answers."""
        ports, own = self.ports, self.has_own_temporal
        return Addresses(
            gateway=f"http://{LOOPBACK}:{ports['gateway']}",
            temporal=f"{LOOPBACK}:{ports['temporal']}" if own else os.environ["TEMPORAL_ADDRESS"],
            temporal_ui=f"http://{LOOPBACK}:{ports['temporal_ui']}" if own else None,
            database=self.database,
            offline=self.offline or None,
            library=str(self.library) if self.library else None,
            home=str(self.home.path),
            pids=pids,
        )

    def _python(self, name: str, told: Mapping[str, str], module: str, *options: str) -> Child:
        argv = [sys.executable, "-m", module, *options]
        return Child(name, argv, self._log(name), {**told, "PYTHONUNBUFFERED": "1"})

    def _log(self, name: str) -> Path:
        return self.home.logs / f"{name}.log"

    def _is_set(self, setting: str) -> bool:
        return setting in self.settings.model_fields_set and bool(getattr(self.settings, setting))
