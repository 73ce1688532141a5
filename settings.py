"""Settings from the environment, its only reader; entry points alone import it."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from contracts.terms import Price, Terms


def _require_domains(text: str) -> str:
    for name in filter(None, map(str.strip, text.split(","))):
        if not re.fullmatch(r"[\w-]+(\.[\w-]+)*", name):
            raise ValueError(f"{name!r} is not a domain; write e.g. `example.org, example.com`")
    return text


Domains = Annotated[str, AfterValidator(_require_domains)]


def _strip_header_text(text: object) -> object:
    """Strip what a file or a shell left around a text that is sent in an HTTP header."""
    if not isinstance(text, str):
        return text
    if not re.fullmatch(r"[ -~]*", text.strip()):
        raise ValueError("may hold printable ASCII characters only; it is sent in an HTTP header")
    return text.strip()


HeaderText = Annotated[str, BeforeValidator(_strip_header_text)]
HeaderSecret = Annotated[SecretStr, BeforeValidator(_strip_header_text)]


class Settings(BaseSettings):
    """All settings, each an environment variable in upper case; `TEMPORAL_*` is read by the SDK."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", hide_input_in_errors=True)

    database_url: str = Field(
        default="postgresql://greenlight@127.0.0.1:5432/greenlight",
        description="PostgreSQL with pgvector; if set, `up` starts none of its own",
    )
    blob_url: str = Field(
        default=Path(".greenlight/blobs").absolute().as_uri(),
        description="where page bodies are stored, as file:// or s3://",
    )
    anthropic_api_key: HeaderSecret = Field(
        default=SecretStr(""), description="without it, the offline model answers"
    )
    anthropic_base_url: str = Field(
        default="https://api.anthropic.com", description="the Messages API"
    )
    greenlight_model: str = Field(
        default="claude-haiku-4-5-20251001",
        description="model id; a dated one, as an alias may change",
    )
    greenlight_prices: dict[str, Price] = Field(
        default={
            "claude-haiku-4-5-20251001": Price(input_usd=1.0, output_usd=5.0),
            "claude-haiku-4-5": Price(input_usd=1.0, output_usd=5.0),
            "claude-haiku-5-5": Price(input_usd=0.1, output_usd=0.5),
        },
        description="model id -> US dollars per million tokens",
    )
    greenlight_cap_usd: float = Field(default=5.0, gt=0, description="spending cap of a run")
    greenlight_step_cache_hours: float = Field(
        default=24,
        ge=0,
        description="how long a later run of the same user reuses a phase's output, where "
        "all its inputs are the same; 0: never",
    )
    greenlight_offline: bool = Field(
        default=False, description="services are stand-ins that bill nothing"
    )
    brave_api_key: HeaderSecret = Field(
        default=SecretStr(""), description="without it, the library is searched"
    )
    brave_base_url: str = Field(
        default="https://api.search.brave.com", description="the search API"
    )
    edgar_contact: HeaderText = Field(
        default="",
        description="a name and a mail address, which SEC EDGAR requires of its clients; without "
        "it, there are no company figures, or the sample's where the library is searched",
    )
    edgar_base_url: str = Field(
        default="https://data.sec.gov", description="EDGAR's filings and facts as JSON"
    )
    edgar_www_url: str = Field(default="https://www.sec.gov", description="EDGAR's list of tickers")
    embedder_url: str = Field(
        default="",
        description="a service with `/v1/embeddings` that receives every question; without it, a "
        "local model compares them",
    )
    embedder_model: str = Field(
        default="text-embedding-3-small", description="the model of that service"
    )
    embedder_api_key: HeaderSecret = Field(
        default=SecretStr(""), description="sent to that service as a bearer token"
    )
    greenlight_fetch_allow: list[str] = Field(
        default=[], description="host:port pairs that may be fetched although they are not public"
    )
    greenlight_web_allow: Domains = Field(
        default="",
        description="the only domains to search and read, with their subdomains; comma-separated",
    )
    greenlight_web_deny: Domains = Field(
        default="",
        description="domains never to search or read, even below an allowed one; comma-separated",
    )
    greenlight_host: str = Field(default="127.0.0.1", description="the gateway's address")
    greenlight_port: int = Field(default=8460, ge=1, le=65_535, description="the gateway's port")
    greenlight_allowed_hosts: list[str] = Field(
        default=["127.0.0.1", "localhost"], description="Host headers that the gateway accepts"
    )
    greenlight_require_keys: bool = Field(
        default=False,
        description="require an API key even before any exists; needed for a public address",
    )
    greenlight_signing_key: SecretStr = Field(
        default=SecretStr(""),
        description="secret of gateway and worker, which signs decisions of named approvers",
    )
    greenlight_task_queue: str = Field(
        default="research", description="the worker's Temporal task queue"
    )
    greenlight_research_collection: str = Field(
        default="research-sessions",
        description="name of a tenant's collection of runs in `GET /v1/metadata`",
    )
    greenlight_max_crews: int = Field(
        default=8, ge=1, le=50, description="concurrent crews of a crew worker"
    )
    greenlight_crew_scratch: Path = Field(
        default=Path(".greenlight/crew"), description="folder that CrewAI may write to"
    )
    greenlight_search_attributes: bool = Field(
        default=False,
        description="runs write RunStatus and RunDefinition, which must be registered",
    )
    greenlight_sticky_timeout: timedelta = Field(
        default=timedelta(seconds=2),
        description="delay until a dead worker's cached run moves to another worker",
    )
    greenlight_temp_kept: timedelta = Field(
        default=timedelta(minutes=15),
        ge=timedelta(0),
        description="delay until a temporary run is removed after its end",
    )
    greenlight_retention_days: int = Field(
        default=0, ge=0, description="days until an ended run is removed; 0: never"
    )
    greenlight_stop_grace: timedelta = Field(
        default=timedelta(seconds=5), description="grace period for calls when a worker stops"
    )

    def terms(self) -> Terms:
        """Return the terms of a run that starts now."""
        return Terms(
            model=self.greenlight_model,
            prices=self.greenlight_prices,
            offline=self.greenlight_offline,
            cap_usd=self.greenlight_cap_usd,
            step_cache_hours=self.greenlight_step_cache_hours,
        )


SECRETS = tuple(
    name for name, field in Settings.model_fields.items() if field.annotation is SecretStr
)
"""The settings that only a process that needs them is given."""
