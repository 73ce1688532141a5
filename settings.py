"""The only reader of the environment; entry points alone import it."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from contracts.terms import Price, Terms


def _domains(text: str) -> str:
    for name in filter(None, map(str.strip, text.split(","))):
        if not re.fullmatch(r"[\w-]+(\.[\w-]+)*", name):
            raise ValueError(f"{name!r} is no domain; write them as in `example.org, example.com`")
    return text


Domains = Annotated[str, AfterValidator(_domains)]


class Settings(BaseSettings):
    """Every setting, by its environment variable in upper case; `TEMPORAL_*` is the SDK's own."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore")

    database_url: str = Field(
        default="postgresql://greenlight@127.0.0.1:5432/greenlight",
        description="PostgreSQL with pgvector; set it, and `up` starts none of its own",
    )
    blob_url: str = Field(
        default=Path(".greenlight/blobs").absolute().as_uri(),
        description="where page bodies are kept, by file:// or s3://",
    )
    anthropic_api_key: SecretStr = Field(
        default=SecretStr(""), description="without it the offline model answers"
    )
    anthropic_base_url: str = Field(
        default="https://api.anthropic.com", description="the Messages API"
    )
    greenlight_model: str = Field(
        default="claude-haiku-4-5-20251001", description="model id, fixed: no alias that moves"
    )
    greenlight_prices: dict[str, Price] = Field(
        default={
            "claude-haiku-4-5-20251001": Price(input_usd=1.0, output_usd=5.0),
            "claude-haiku-4-5": Price(input_usd=1.0, output_usd=5.0),
            "claude-haiku-5-5": Price(input_usd=0.1, output_usd=0.5),
        },
        description="model id to US dollars for a million tokens",
    )
    greenlight_cap_usd: float = Field(default=5.0, gt=0, description="most a run may ever spend")
    greenlight_step_cache_hours: float = Field(
        default=24,
        ge=0,
        description="how long a later run of the same user takes over what a phase gave, where "
        "all that it reads is the same; 0: never",
    )
    greenlight_offline: bool = Field(default=False, description="the services are stand-ins")
    brave_api_key: SecretStr = Field(
        default=SecretStr(""), description="without it the library is searched"
    )
    brave_base_url: str = Field(
        default="https://api.search.brave.com", description="the search API"
    )
    edgar_contact: str = Field(
        default="",
        description="a name and a mail address, which SEC EDGAR asks of whoever reads it; without "
        "it there are no company figures, or the sample's where the library is searched",
    )
    edgar_base_url: str = Field(
        default="https://data.sec.gov", description="EDGAR's filings and facts as JSON"
    )
    edgar_www_url: str = Field(
        default="https://www.sec.gov", description="where EDGAR lists its tickers"
    )
    embedder_url: str = Field(
        default="",
        description="a service with `/v1/embeddings` that is sent every question; without it a "
        "local model compares them",
    )
    embedder_model: str = Field(
        default="text-embedding-3-small", description="the model that service is asked for"
    )
    embedder_api_key: SecretStr = Field(
        default=SecretStr(""), description="sent to that service as a bearer token"
    )
    greenlight_fetch_allow: list[str] = Field(
        default=[], description="host:port pairs that may be fetched although not public"
    )
    greenlight_web_allow: Domains = Field(
        default="",
        description="domains, by commas, that alone are searched and read, with all below them",
    )
    greenlight_web_deny: Domains = Field(
        default="",
        description="domains, by commas, that never are, even if they stand below an allowed one",
    )
    greenlight_host: str = Field(default="127.0.0.1", description="the gateway's address")
    greenlight_port: int = Field(default=8460, ge=1, le=65_535, description="the gateway's port")
    greenlight_allowed_hosts: list[str] = Field(
        default=["127.0.0.1", "localhost"], description="Host headers the gateway answers"
    )
    greenlight_require_keys: bool = Field(
        default=False,
        description="ask for an API key even before there are any; needed for a public address",
    )
    greenlight_signing_key: SecretStr = Field(
        default=SecretStr(""),
        description="shared by gateway and worker: decisions of named approvers are signed with it",
    )
    greenlight_task_queue: str = Field(
        default="research", description="Temporal's task queue of the worker"
    )
    greenlight_research_collection: str = Field(
        default="research-sessions",
        description="what `GET /v1/metadata` calls the collection of a tenant's runs",
    )
    greenlight_max_crews: int = Field(
        default=8, ge=1, le=50, description="crews at work at once in a crew worker"
    )
    greenlight_crew_scratch: Path = Field(
        default=Path(".greenlight/crew"), description="the folder that CrewAI may write to"
    )
    greenlight_search_attributes: bool = Field(
        default=False, description="runs write RunStatus and RunDefinition; register them first"
    )
    greenlight_sticky_timeout: timedelta = Field(
        default=timedelta(seconds=2),
        description="after how long a dead worker's cached run goes to another",
    )
    greenlight_temp_kept: timedelta = Field(
        default=timedelta(minutes=15),
        ge=timedelta(0),
        description="how long after its end a temporary run is removed",
    )
    greenlight_retention_days: int = Field(
        default=0, ge=0, description="after so many days a run that ended is removed; 0: never"
    )
    greenlight_stop_grace: timedelta = Field(
        default=timedelta(seconds=5), description="how long a stopping worker lets calls finish"
    )

    def terms(self) -> Terms:
        """Return what a run that opens now starts under."""
        return Terms(
            model=self.greenlight_model,
            prices=self.greenlight_prices,
            offline=self.greenlight_offline,
            cap_usd=self.greenlight_cap_usd,
            step_cache_hours=self.greenlight_step_cache_hours,
        )
