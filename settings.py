"""Settings from the environment, its only reader; entry points alone import it."""

import base64
import gzip
import json
import os
import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    BeforeValidator,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    SecretStr,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from contracts.access.identity import OidcTerms, is_safe_address
from contracts.access.principal import KeyScope
from contracts.base import DAY, Contract, Wrong
from contracts.models.catalogue import CATALOGUE, LIMITS, PRICES, SEARCH_TOKENS
from contracts.models.prices import Limits, Price
from contracts.notices import Notice
from contracts.phases.base import PHASE_SECONDS
from contracts.phases.research import ResearchSettings
from contracts.problems import join_problems, list_problems
from contracts.runs.run_terms import PriceTolerance, Terms
from contracts.runs.samples import SAMPLE, Sample
from contracts.search import PREFERRED, SERVICES, Chosen, SearchTerms, ServiceName
from contracts.tool_servers import SERVER_NAME, InstalledServer, ServerName


def _require_domains(text: str) -> str:
    for name in filter(None, map(str.strip, text.split(","))):
        if not re.fullmatch(r"[\w-]+(\.[\w-]+)*", name):
            raise ValueError(f"{name!r} is not a domain; write e.g. `example.org, example.com`")
    return text


def _list_names(text: str) -> list[str]:
    return list(dict.fromkeys(filter(None, map(str.strip, text.split(",")))))


def _require_services(text: str) -> str:
    for name in _list_names(text):
        if name not in SERVICES:
            raise ValueError(f"{name!r} is no search service; allowed are {', '.join(SERVICES)}")
    return text


Services = Annotated[str, AfterValidator(_require_services)]
Domains = Annotated[str, AfterValidator(_require_domains)]


def _strip_header_text(text: object) -> object:
    """Strip whitespace, which files and shells add, from the value of an HTTP header."""
    if not isinstance(text, str):
        return text
    if not re.fullmatch(r"[ -~]*", text.strip()):
        raise ValueError("may hold printable ASCII characters only; it is sent in an HTTP header")
    return text.strip()


Folder = Annotated[Path | None, BeforeValidator(lambda path: path or None)]
"""A folder; None for an empty text, which would otherwise mean the working directory."""
HeaderText = Annotated[str, BeforeValidator(_strip_header_text)]
HeaderSecret = Annotated[SecretStr, BeforeValidator(_strip_header_text)]


ModelApi = Literal["messages", "chat"]
"""The API of a model's server: Anthropic's Messages, or OpenAI's chat completions."""


class Server(Contract):
    """A model's server and its API key."""

    url: AnyHttpUrl
    key: HeaderText = ""
    api: ModelApi = "messages"


class ModelServer(NamedTuple):
    """The address, key and API of a model's server."""

    url: str
    key: str
    api: ModelApi


def _require_smtp(text: SecretStr) -> SecretStr:
    url = text.get_secret_value()
    if url and not re.match(r"smtps?://[^\s/]+$", url):
        raise ValueError("is not of the form smtp://user:password@host:587")
    return text


def _require_issuer(text: str) -> str:
    if text and not is_safe_address(text):
        raise Wrong("oidc-issuer", url=text)
    return text


def _require_named(text: SecretStr) -> SecretStr:
    """Refuse a non-empty setting without secrets, such as a single comma: it would silently count as empty."""
    if text.get_secret_value() and not _list_names(text.get_secret_value()):
        raise ValueError("is set and names no secret; leave it empty, or list secrets by commas")
    return text


def _require_payload_keys(text: SecretStr) -> SecretStr:
    keys = _list_names(text.get_secret_value())
    ids = [key.partition(":")[0] for key in keys]
    if len({*ids}) < len(keys) or not all(_PAYLOAD_KEY.fullmatch(key) for key in keys):
        raise ValueError(
            "is not of the form ID:KEY,ID:KEY with different ids and 32 bytes in base64"
        )
    return text


_PAYLOAD_KEY = re.compile(r"[\w.-]{1,64}:[A-Za-z0-9+/]{43}=")
_SERVERS = TypeAdapter(dict[str, Server])
_SERVICES = TypeAdapter(Chosen)
_TOOL_SERVERS = TypeAdapter(dict[ServerName, InstalledServer])


def _require_servers(text: SecretStr) -> SecretStr:
    try:
        _SERVERS.validate_json(text.get_secret_value() or "{}")
    except ValidationError as error:  # its message would contain keys
        raise ValueError(join_problems(list_problems(error.errors())).text) from None
    return text


def _require_server_names(text: str) -> str:
    for name in _list_names(text):
        if not re.fullmatch(SERVER_NAME, name):
            raise ValueError(f"{name!r} is no name of a server of tools")
    return text


def _require_tool_servers(text: SecretStr) -> SecretStr:
    try:
        _TOOL_SERVERS.validate_json(text.get_secret_value() or "{}")
    except ValidationError as error:  # its message would contain keys
        raise ValueError(join_problems(list_problems(error.errors())).text) from None
    return text


def find_env_file() -> Path:
    """Return the settings file: `.env` in the current folder for a clone, else `greenlight/.env` in the user's configuration folder.

    An installed Greenlight may be started in any folder, where a `.env` belongs to another program.
    """
    if Path(__file__).with_name("pyproject.toml").exists():
        return Path(".env")
    named = os.environ.get("XDG_CONFIG_HOME", "")  # the standard ignores a relative path
    base = Path(named) if Path(named).is_absolute() else Path.home() / ".config"
    return base / "greenlight" / ".env"


class Settings(BaseSettings):
    """All settings, each an environment variable in upper case; `TEMPORAL_*` is read by the SDK."""

    model_config = SettingsConfigDict(
        env_file=find_env_file(),
        extra="ignore",
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )

    database_url: str = "postgresql://greenlight@127.0.0.1:5432/greenlight"
    """PostgreSQL with pgvector, for the role of gateway and workers; if set, `up` does not start a database"""
    database_owner_url: str = ""
    """the same database for the role that owns its tables; only `migrate` and `up` need it"""
    blob_url: str = Path(".greenlight/blobs").absolute().as_uri()
    """where page bodies are stored, as file:// or s3://"""
    anthropic_api_key: HeaderSecret = SecretStr("")
    """without it, the offline model answers"""
    anthropic_base_url: str = "https://api.anthropic.com"
    """the Messages API"""
    greenlight_model: str = "claude-haiku-4-5-20251001"
    """model id; with a date, because the model behind an alias may change"""
    greenlight_model_silence_seconds: float = Field(60, ge=5, le=600)
    """seconds without data after which a model's stream counts as broken"""
    greenlight_models: dict[str, str] = {}
    """role -> model id, unless a start or definition names one for the role; other roles use
    GREENLIGHT_MODEL"""
    greenlight_servers: Annotated[SecretStr, AfterValidator(_require_servers)] = SecretStr("")
    """model id -> `url`, `key` and `api` (`messages`, or `chat` for chat completions) of its server, for models that are
    not served at ANTHROPIC_BASE_URL"""
    greenlight_prices: Annotated[
        dict[str, Price], Field(validate_default=True), AfterValidator(lambda own: PRICES | own)
    ] = {}
    """model id -> US dollars per million tokens (`input_usd`, `output_usd`), in addition to the prices in
    contracts/models/prices_and_limits.json"""
    greenlight_limits: Annotated[
        dict[str, Limits], Field(validate_default=True), AfterValidator(lambda own: LIMITS | own)
    ] = {}
    """model id -> tokens of its context window and of its longest answer, in addition to the same
    file; for other models, the server is asked"""
    greenlight_cap_usd: PositiveFloat = 5.0
    """spending cap of a run"""
    greenlight_price_tolerance_percent: NonNegativeFloat = 10
    """percentage of a plan's top price by which a change may raise its price without a new
    approval"""
    greenlight_price_tolerance_usd: NonNegativeFloat = 0.05
    """the same in US dollars; the larger of the two applies"""
    greenlight_step_cache_hours: NonNegativeFloat = 24
    """hours for which later runs of the same user reuse a phase's output if all its inputs are the
    same; 0: never"""
    greenlight_research: ResearchSettings = ResearchSettings()
    """default settings of `research` phases, which definitions and starts override; a subset is allowed"""
    greenlight_phase_seconds: float = Field(PHASE_SECONDS, gt=0, le=30 * DAY)
    """default limit of a phase's active time, without waits for a human, a provider or the store; starts,
    definitions and some kinds (conversations) set others"""
    greenlight_offline: bool = False
    """use stand-ins for the model, the search and other services; they need no key and cost nothing"""
    greenlight_samples: Folder = None
    """folder of recorded runs: the stand-in answers their questions with the recorded answers; `up` sets it"""
    greenlight_search: Services = ""
    """search services to use, in parallel, unless a start or definition names others: any of `brave`,
    `anthropic`, `searxng`, `tavily`, `exa`, `endpoint`, comma-separated; empty: the first one that is configured
    below, or Anthropic's if there is only ANTHROPIC_API_KEY. Without any service, the library is searched"""
    greenlight_search_configured: Services = ""
    """the configured services, for a process without their keys; `up` sets it"""
    greenlight_search_model: str = "claude-haiku-5-5"
    """the model that runs Anthropic's web search; its tokens are billed in addition to the search"""
    greenlight_search_prices: dict[ServiceName, NonNegativeFloat] = {}
    """service -> US dollars per search, in addition to the fees in contracts/models/prices_and_limits.json"""
    brave_api_key: HeaderSecret = SecretStr("")
    """key of Brave's search API"""
    brave_base_url: str = "https://api.search.brave.com"
    """Brave's search API"""
    tavily_api_key: HeaderSecret = SecretStr("")
    """key of Tavily's search API"""
    tavily_base_url: str = "https://api.tavily.com"
    """Tavily's search API"""
    exa_api_key: HeaderSecret = SecretStr("")
    """key of Exa's search API"""
    exa_base_url: str = "https://api.exa.ai"
    """Exa's search API"""
    searxng_url: str = ""
    """address of your SearXNG instance; its settings.yml must list `json` under `formats`"""
    search_endpoint_url: str = ""
    """address of your own search service: `POST` with `query`, `count` and `kind`, answered by a list of `link`, `title`,
    `snippet`, or by `results` of `url`, `title`, `snippet`, `published`"""
    search_endpoint_key: HeaderSecret = SecretStr("")
    """bearer token for that service"""
    greenlight_mcp_servers: Annotated[SecretStr, AfterValidator(_require_tool_servers)] = SecretStr(
        ""
    )
    """MCP servers that definitions may name: name -> `url` and `key`, or `command` (a list) and `env` for a process that
    the worker starts"""
    greenlight_mcp_configured: Annotated[str, AfterValidator(_require_server_names)] = ""
    """the names of these servers, comma-separated, for a process without their keys; `up` sets it"""
    greenlight_library: str = Field("", max_length=200)
    """name, for reports, of the library that BRAVE_BASE_URL searches if it is not the web; `sample`: the sample library, which `up`
    serves and searches instead of the web even if there are keys; without a search key, this is the default"""
    greenlight_library_folder: Folder = None
    """a folder of documents to search instead of the web; `--library` sets it"""
    edgar_contact: HeaderText = ""
    """a name and a mail address, which SEC EDGAR requires of its clients; without it, there are no
    company figures (with the sample library: only the sample's)"""
    edgar_base_url: str = "https://data.sec.gov"
    """EDGAR's filings and facts as JSON"""
    edgar_www_url: str = "https://www.sec.gov"
    """EDGAR's list of tickers"""
    prices_url: str = ""
    """address, with `{ticker}`, of closing share prices as CSV with `Date` and `Close`; a valuation needs it or
    a `price` in the start"""
    prices_currency: str = "USD"
    """the currency of those prices"""
    embedder_url: str = ""
    """a service with `/v1/embeddings`, to which every question is sent; empty: a local model
    compares questions"""
    embedder_model: str = "text-embedding-3-small"
    """the model of that service"""
    embedder_api_key: HeaderSecret = SecretStr("")
    """bearer token for that service"""
    greenlight_fetch_allow: list[str] = []
    """non-public host:port pairs that may be fetched"""
    greenlight_web_allow: Domains = ""
    """the only domains to search and read, with their subdomains; comma-separated"""
    greenlight_web_deny: Domains = ""
    """domains never to search or read, even as subdomains of an allowed one; comma-separated"""
    greenlight_host: str = "127.0.0.1"
    """the gateway's address"""
    greenlight_port: int = Field(8460, ge=1, le=65_535)
    """the gateway's port"""
    greenlight_allowed_hosts: list[str] = ["127.0.0.1", "localhost"]
    """Host headers that the gateway accepts"""
    greenlight_require_keys: bool = False
    """require an API key even before the first one exists; needed for a public address"""
    oidc_issuer: Annotated[str, AfterValidator(_require_issuer)] = ""
    """issuer of the OpenID Connect provider, exactly as in its discovery document; the gateway then accepts its tokens as well as
    API keys; empty: only API keys"""
    oidc_audience: str = ""
    """the audience that those tokens must contain: the provider's name for this gateway"""
    oidc_user_claim: str = "sub"
    """the claim with the user's id"""
    oidc_tenant_claim: str = ""
    """the claim with the tenant's id; empty: every user belongs to the tenant `default`"""
    oidc_role_claim: str = ""
    """the claim with the user's role, which approval rules may name; empty: users have no role"""
    oidc_scope_claim: str = "scope"
    """the claim with the scopes, as a list or separated by spaces"""
    oidc_scopes: dict[str, KeyScope] = {"greenlight:ask": "ask", "greenlight:decide": "decide"}
    """the provider's name of a scope -> `ask`, `decide`, `approve`, `admin`, `budgets` or, without OIDC_TENANT_CLAIM,
    `payloads`; other names grant nothing"""
    greenlight_requests_per_key: int = Field(100, ge=1)
    """concurrent requests of one key, session, or address without a key; further ones are answered 429"""
    greenlight_requests_per_minute: int = Field(12_000, ge=1)
    """requests per minute of one user, or address without a key, at one gateway; half as many for one key or session; further ones are answered 429"""
    greenlight_starts_per_minute: int = Field(300, ge=1)
    """starts of runs per minute of one user at one gateway; half as many for one key; further ones are answered 429"""
    greenlight_streams_per_key: int = Field(300, ge=1)
    """concurrent event streams of one key, session, or address without a key"""
    greenlight_runs_per_tenant: int = Field(200, ge=1)
    """active runs of a tenant, including those that wait for a human; a further start is answered 429"""
    greenlight_connections_per_address: int = Field(1_000, ge=1)
    """concurrent connections of one address; behind a proxy, all have the proxy's address"""
    greenlight_signing_key: SecretStr = SecretStr("")
    """secret with which gateway and worker sign decisions of named approvers"""
    greenlight_channel_keys: Annotated[SecretStr, AfterValidator(_require_named)] = SecretStr("")
    """secrets of gateway and worker that encrypt the addresses and secrets of alert channels in the database, comma-separated:
    the first one encrypts, all of them and GREENLIGHT_SIGNING_KEY decrypt; empty: only GREENLIGHT_SIGNING_KEY"""
    greenlight_public_url: str = ""
    """the gateway's public address for links in alerts, such as https://research.example.org;
    empty: GREENLIGHT_HOST and GREENLIGHT_PORT"""
    greenlight_alert_allow: list[str] = []
    """non-public host:port pairs that may receive alerts"""
    greenlight_alert_pause: timedelta = Field(timedelta(seconds=5), ge=timedelta(milliseconds=10))
    """delay before the first retry of a failed alert; each further one is four times as long, up to six hours"""
    greenlight_alert_patience: timedelta = timedelta(days=3)
    """how long a failed alert is retried"""
    smtp_url: Annotated[SecretStr, AfterValidator(_require_smtp)] = SecretStr("")
    """server for alerts by mail, such as smtp://user:password@mail.example.org:587 (with STARTTLS) or smtps://"""
    smtp_from: HeaderText = ""
    """sender of that mail; without it, channels cannot have a mail address"""
    greenlight_payload_keys: Annotated[SecretStr, AfterValidator(_require_payload_keys)] = (
        SecretStr("")
    )
    """keys that encrypt the payloads that Temporal stores (questions, plans, answers), each as `ID:KEY` with 32 bytes in base64,
    comma-separated: the first one encrypts, all decrypt; gateway and workers need the same list (docs/operations.md)"""
    greenlight_codec_host: str = "127.0.0.1"
    """the address of the codec server, which decrypts these payloads for Temporal's UI and CLI"""
    greenlight_codec_port: int = Field(8461, ge=1, le=65_535)
    """the codec server's port"""
    greenlight_temporal_ui: str = ""
    """address of Temporal's UI with its namespace, such as http://127.0.0.1:8233/namespaces/default, for links
    in the web page; `up` sets it if it starts Temporal"""
    greenlight_temporal_metrics: str = Field("", pattern=r"^(.+:\d+)?$")
    """address, such as 127.0.0.1:9464, at which a worker serves the Temporal SDK's metrics to Prometheus; empty: not served"""
    greenlight_metrics: str = Field("", pattern=r"^(.+:\d+)?$")
    """address, such as 127.0.0.1:9465, at which a process serves the product's metrics to Prometheus, without a key; `up` assigns the
    next ports to worker and crew worker; empty: not served"""
    greenlight_log: Literal["auto", "json", "text"] = "auto"
    """format of the logs of gateway, workers and codec server; auto: text on a terminal, JSON elsewhere"""
    greenlight_probe_folder: Folder = None
    """folder in which a worker touches `alive` every five seconds and `ready` once it polls for tasks, for a container's
    probes (docs/deployment.md)"""
    otel_exporter_otlp_endpoint: str = Field("", pattern=r"^(https?://.+)?$")
    """address of an OpenTelemetry collector (OTLP over HTTP), such as http://127.0.0.1:4318, for the traces of gateway and
    workers; the SDK reads `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER` and similar; empty: no traces"""
    greenlight_task_queue: str = "research"
    """the worker's Temporal task queue"""
    greenlight_build_id: str = Field("", pattern=r"^[^\s:]*$", max_length=128)
    """version of the workers' code, the same for all workers of a release: Temporal routes runs to the current version
    (docs/operations.md); empty: no versioning"""
    greenlight_research_collection: str = "research-sessions"
    """name of a tenant's collection of runs in `GET /v1/metadata`"""
    greenlight_memory_share: float = Field(0, ge=0, lt=1)
    """share of the container's memory limit, or of the machine's memory, above which a worker takes fewer new tasks; 0: never"""
    greenlight_max_crews: int = Field(8, ge=1, le=50)
    """concurrent crews of a crew worker"""
    greenlight_crew_scratch: Path = Path(".greenlight/crew")
    """folder that CrewAI may write to"""
    greenlight_installs: bool = False
    """install packages for crews, PDF and Word files and the comparison of questions at first use;
    `up` sets it"""
    greenlight_search_attributes: bool = False
    """let runs set the search attributes RunStatus and RunDefinition, which must be registered"""
    greenlight_sticky_timeout: timedelta = timedelta(seconds=2)
    """delay until a run cached by a dead worker moves to another worker"""
    greenlight_temp_kept: timedelta = Field(timedelta(minutes=15), ge=timedelta(0))
    """delay until a temporary run is removed after its end"""
    greenlight_retention_days: NonNegativeInt = 0
    """days until an ended run is removed; 0: never"""
    greenlight_stop_grace: timedelta = timedelta(seconds=5)
    """grace period for calls when a worker stops"""

    def servers(self) -> dict[str, ModelServer]:
        """Return the servers in `greenlight_servers` by model id."""
        found = _SERVERS.validate_json(self.greenlight_servers.get_secret_value() or "{}")
        return {
            model: ModelServer(str(server.url), server.key, server.api)
            for model, server in found.items()
        }

    def tool_servers(self) -> dict[str, InstalledServer]:
        """Return the installation's MCP servers by name."""
        given = self.greenlight_mcp_servers.get_secret_value() or "{}"
        return {**_TOOL_SERVERS.validate_json(given)}

    def channel_keys(self) -> list[str]:
        """Return the secrets for alert channels: the first one encrypts, all decrypt."""
        own = _list_names(self.greenlight_channel_keys.get_secret_value())
        return [key for key in (*own, self.greenlight_signing_key.get_secret_value()) if key]

    def payload_keys(self) -> dict[str, bytes]:
        """Return the keys of Temporal's payloads by id; the first one encrypts."""
        named = (
            key.split(":") for key in _list_names(self.greenlight_payload_keys.get_secret_value())
        )
        return {key_id: base64.b64decode(key) for key_id, key in named}

    @model_validator(mode="after")
    def _require_audience(self) -> Self:
        """Refuse an issuer without an audience, which would make tokens for other applications valid here."""
        if self.oidc_issuer and not self.oidc_audience:
            raise Wrong("oidc-audience", at="oidc_audience")
        return self

    @model_validator(mode="after")
    def _bound_token_scopes(self) -> Self:
        """Refuse to map a scope to `payloads` if tokens name tenants: it reads the payloads of all tenants, and one tenant's manager could grant it."""
        if self.oidc_tenant_claim and "payloads" in self.oidc_scopes.values():
            raise Wrong("oidc-payloads", at="oidc_scopes")
        return self

    def oidc(self) -> OidcTerms | None:
        """Return the terms for accepting OpenID Connect tokens; None without OIDC_ISSUER."""
        if not self.oidc_issuer:
            return None
        return OidcTerms(
            issuer=self.oidc_issuer,
            audience=self.oidc_audience,
            user_claim=self.oidc_user_claim,
            tenant_claim=self.oidc_tenant_claim,
            role_claim=self.oidc_role_claim,
            scope_claim=self.oidc_scope_claim,
            scopes=self.oidc_scopes,
        )

    def list_tool_servers(self) -> list[str]:
        """Return the names of the installation's MCP servers."""
        return _list_names(self.greenlight_mcp_configured) or [*self.tool_servers()]

    @property
    def asks_a_provider(self) -> bool:
        """Whether the default model can be called: with the provider's key, or at a server in GREENLIGHT_SERVERS."""
        return bool(self.anthropic_api_key.get_secret_value()) or (
            self.greenlight_model in self.servers()
        )

    @model_validator(mode="after")
    def _discount_only_as_stated(self) -> Self:
        """Charge the full input price for cached tokens of `chat` servers, unless their price states a cache rate."""
        for model, server in self.servers().items():
            price = self.greenlight_prices.get(model)
            if server.api == "chat" and price and "cache_read" not in price.model_fields_set:
                self.greenlight_prices[model] = price.model_copy(update={"cache_read": 1.0})
        return self

    def models_used(self) -> list[str]:
        """Return the ids of the models in these settings, without duplicates."""
        named = [self.greenlight_model, *self.greenlight_models.values(), *self.servers()]
        return list(dict.fromkeys(named))

    def list_search_services(self) -> Chosen:
        """Return the configured search services in order of preference."""
        if self.greenlight_search_configured:
            return _SERVICES.validate_python(_list_names(self.greenlight_search_configured))
        given = {
            "brave": self.brave_api_key.get_secret_value(),
            "tavily": self.tavily_api_key.get_secret_value(),
            "exa": self.exa_api_key.get_secret_value(),
            "searxng": self.searxng_url,
            "endpoint": self.search_endpoint_url,
            "anthropic": not self.greenlight_offline and self.anthropic_api_key.get_secret_value(),
        }
        return [name for name in PREFERRED if given[name]]

    def choose_search_services(self) -> Chosen:
        """Return the default search services: GREENLIGHT_SEARCH, or else the first configured one."""
        named = _SERVICES.validate_python(_list_names(self.greenlight_search))
        return named or self.list_search_services()[:1]

    def find_search_fee(self, name: ServiceName) -> float:
        """Return the fee of one search in US dollars; 0 for a library and offline."""
        if self.searched or self.greenlight_offline:
            return 0.0
        return self.greenlight_search_prices.get(name, CATALOGUE.search_usd[name])

    def search_terms(self) -> SearchTerms:
        """Return a new run's search services with the expected price per search, including the tokens of Anthropic's."""
        usd = {name: self.find_search_fee(name) for name in self.list_search_services()}
        if "anthropic" in usd and (
            price := self.greenlight_prices.get(self.greenlight_search_model)
        ):
            usd["anthropic"] += price.compute_usd(*SEARCH_TOKENS)
        return SearchTerms(usual=self.choose_search_services(), usd=usd)

    @property
    def public_url(self) -> str:
        """The gateway's public address, or else its own."""
        own = f"http://{self.greenlight_host}:{self.greenlight_port}"
        return self.greenlight_public_url or own

    @property
    def searched(self) -> Notice | None:
        """The name of the library that replaces the web in searches; None if the web is searched."""
        if folder := self.greenlight_library_folder:
            return Notice.of("searched-folder", "info", name=folder.resolve().name[:100])
        if self.greenlight_library == SAMPLE:
            return Notice.of("searched-sample", "info")
        library = self.greenlight_library
        return Notice.of("text", "info", text=library) if library else None

    @property
    def holds(self) -> Notice | None:
        """A description of the sample library for planners; None for other libraries and the web."""
        is_sample = self.greenlight_library == SAMPLE and not self.greenlight_library_folder
        return Notice.of("sample-holds", "info") if is_sample else None

    def samples(self) -> list[Sample]:
        """Return the recorded runs for the stand-in to replay, ordered by file name."""
        files = sorted(self.greenlight_samples.glob("*.json.gz")) if self.greenlight_samples else []
        kept = [json.loads(gzip.decompress(path.read_bytes())) for path in files]
        return [Sample.model_validate(each["sample"]) for each in kept]

    def terms(self) -> Terms:
        """Return the terms of a new run."""
        return Terms(
            model=self.greenlight_model,
            roles=self.greenlight_models,
            prices=self.greenlight_prices,
            offline=self.greenlight_offline,
            searched=self.searched,
            holds=self.holds,
            search=self.search_terms(),
            cap_usd=self.greenlight_cap_usd,
            step_cache_hours=self.greenlight_step_cache_hours,
            price_tolerance=PriceTolerance(
                percent=self.greenlight_price_tolerance_percent,
                usd=self.greenlight_price_tolerance_usd,
            ),
        )


SECRETS = tuple(
    name for name, field in Settings.model_fields.items() if field.annotation is SecretStr
)
"""Settings with secrets, which `up` passes only to the processes that need them."""
SEARCH_SECRETS = ("brave_api_key", "tavily_api_key", "exa_api_key", "search_endpoint_key")
"""The secrets of the search services."""
