"""The only reader of the environment; entry points alone import it."""

from datetime import timedelta
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from contracts.terms import Price, Terms


class Settings(BaseSettings):
    """Every setting, by its environment variable in upper case; `TEMPORAL_*` is the SDK's own."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore")

    database_url: str = Field(
        default="postgresql://greenlight@127.0.0.1:5432/greenlight", description="PostgreSQL"
    )
    blob_url: str = Field(
        default=Path(".greenlight/blobs").absolute().as_uri(), description="file:// or s3://"
    )
    anthropic_api_key: SecretStr = SecretStr("")
    anthropic_base_url: str = "https://api.anthropic.com"
    greenlight_model: str = Field(default="claude-haiku-4-5-20251001", description="a fixed id")
    greenlight_prices: dict[str, Price] = {
        "claude-haiku-4-5-20251001": Price(input_usd=1.0, output_usd=5.0),
        "claude-haiku-4-5": Price(input_usd=1.0, output_usd=5.0),
        "claude-haiku-5-5": Price(input_usd=0.1, output_usd=0.5),
    }
    greenlight_cap_usd: float = Field(default=5.0, gt=0, description="most a run may ever spend")
    greenlight_offline: bool = Field(default=False, description="the services are stand-ins")
    brave_api_key: SecretStr = SecretStr("")
    brave_base_url: str = "https://api.search.brave.com"
    greenlight_fetch_allow: list[str] = Field(
        default=[], description="host:port pairs that may be fetched although not public"
    )
    greenlight_host: str = "127.0.0.1"
    greenlight_port: int = 8460
    greenlight_allowed_hosts: list[str] = ["127.0.0.1", "localhost"]
    greenlight_task_queue: str = "research"
    greenlight_sticky_timeout: timedelta = Field(
        default=timedelta(seconds=2),
        description="after how long a dead worker's cached run goes to another",
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
        )
