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
    """Strip what a file or a shell left around a text that is sent in an HTTP header."""
    if not isinstance(text, str):
        return text
    if not re.fullmatch(r"[ -~]*", text.strip()):
        raise ValueError("may hold printable ASCII characters only; it is sent in an HTTP header")
    return text.strip()


Folder = Annotated[Path | None, BeforeValidator(lambda path: path or None)]
"""A folder; an empty text, which would be the working directory, is none."""
HeaderText = Annotated[str, BeforeValidator(_strip_header_text)]
HeaderSecret = Annotated[SecretStr, BeforeValidator(_strip_header_text)]


ModelApi = Literal["messages", "chat"]
"""The API that a model's server speaks: Anthropic's Messages, or OpenAI's chat completions."""


class Server(Contract):
    """A model's server, and the key that it is sent."""

    url: AnyHttpUrl
    key: HeaderText = ""
    api: ModelApi = "messages"


class ModelServer(NamedTuple):
    """Where a model is asked, and how."""

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
    """Refuse a setting that is not empty but lists no secret, such as a lone comma: it would silently count as empty."""
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
    except ValidationError as error:  # its own text would show keys
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
    except ValidationError as error:  # its own text would show keys
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
    """PostgreSQL with pgvector, in the role of gateway and workers; if set, `up` starts none of its own"""
    database_owner_url: str = ""
    """the same database in the role that owns its tables; `migrate` and `up` alone need it"""
    blob_url: str = Path(".greenlight/blobs").absolute().as_uri()
    """where page bodies are stored, as file:// or s3://"""
    anthropic_api_key: HeaderSecret = SecretStr("")
    """without it, the offline model answers"""
    anthropic_base_url: str = "https://api.anthropic.com"
    """the Messages API"""
    greenlight_model: str = "claude-haiku-4-5-20251001"
    """model id; a dated one, as an alias may change"""
    greenlight_model_silence_seconds: float = Field(60, ge=5, le=600)
    """A model's stream that says nothing for so long has ended."""
    greenlight_models: dict[str, str] = {}
    """role -> model id, where neither a start nor a definition names one for it; other roles have
    GREENLIGHT_MODEL"""
    greenlight_servers: Annotated[SecretStr, AfterValidator(_require_servers)] = SecretStr("")
    """model id -> its server's `url`, `key` and `api` (`messages`, or `chat` for chat completions), where it is
    not at ANTHROPIC_BASE_URL"""
    greenlight_prices: Annotated[
        dict[str, Price], Field(validate_default=True), AfterValidator(lambda own: PRICES | own)
    ] = {}
    """model id -> US dollars per million tokens (`input_usd`, `output_usd`), besides those of
    contracts/models/prices_and_limits.json"""
    greenlight_limits: Annotated[
        dict[str, Limits], Field(validate_default=True), AfterValidator(lambda own: LIMITS | own)
    ] = {}
    """model id -> tokens of its context window and of its longest answer, besides those of the same
    file; of other models their server is asked"""
    greenlight_cap_usd: PositiveFloat = 5.0
    """spending cap of a run"""
    greenlight_price_tolerance_percent: NonNegativeFloat = 10
    """by how much a change may raise the price of a plan, in percent of its top price, without having to
    be approved again"""
    greenlight_price_tolerance_usd: NonNegativeFloat = 0.05
    """the same in US dollars; the larger of both counts"""
    greenlight_step_cache_hours: NonNegativeFloat = 24
    """how long a later run of the same user reuses a phase's output, where all its inputs are the
    same; 0: never"""
    greenlight_research: ResearchSettings = ResearchSettings()
    """settings of every `research` whose definition or start names no value of its own; part of them will do"""
    greenlight_phase_seconds: float = Field(PHASE_SECONDS, gt=0, le=30 * DAY)
    """a phase's own active time, where neither a start nor its definition names another and its kind
    (conversations do) states none; waits for a human, a provider or the store are not counted"""
    greenlight_offline: bool = False
    """services are stand-ins that bill nothing"""
    greenlight_samples: Folder = None
    """folder of recorded runs, whose answers the stand-in replays where their question is asked; `up` sets it"""
    greenlight_search: Services = ""
    """search services to ask, all at once, where neither a start nor a definition names others: of `brave`,
    `anthropic`, `searxng`, `tavily`, `exa`, `endpoint`, comma-separated; empty: the first one that is configured
    below, and Anthropic's with ANTHROPIC_API_KEY alone. Without any, the library is searched"""
    greenlight_search_configured: Services = ""
    """the services that can be asked, for a process that does not hold their keys; `up` sets it"""
    greenlight_search_model: str = "claude-haiku-5-5"
    """the model that Anthropic's web search is asked of; its tokens are billed beside the search"""
    greenlight_search_prices: dict[ServiceName, NonNegativeFloat] = {}
    """service -> US dollars of one search, besides those of contracts/models/prices_and_limits.json"""
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
    """address of a SearXNG of yours, whose settings.yml lists `json` under `formats`"""
    search_endpoint_url: str = ""
    """address of a search of your own: `POST` with `query`, `count` and `kind`, answered by a list of `link`, `title`,
    `snippet`, or by `results` of `url`, `title`, `snippet`, `published`"""
    search_endpoint_key: HeaderSecret = SecretStr("")
    """sent to that address as a bearer token"""
    greenlight_mcp_servers: Annotated[SecretStr, AfterValidator(_require_tool_servers)] = SecretStr(
        ""
    )
    """servers of tools (MCP) that definitions may name: name -> `url` and `key`, or `command` (a list) and `env`, which
    the worker starts"""
    greenlight_mcp_configured: Annotated[str, AfterValidator(_require_server_names)] = ""
    """the names of these servers, comma-separated, for a process that does not hold their keys; `up` sets it"""
    greenlight_library: str = Field("", max_length=200)
    """what Brave's address searches if it is not the web, as a report says it; `sample`: the sample library, which `up` serves
    and searches in the web's place whatever keys there are; without a key of a search it does so by itself"""
    greenlight_library_folder: Folder = None
    """a folder of documents that is searched in place of the web; `--library` sets it"""
    edgar_contact: HeaderText = ""
    """a name and a mail address, which SEC EDGAR requires of its clients; without it, there are no
    company figures, or the sample's where the library is searched"""
    edgar_base_url: str = "https://data.sec.gov"
    """EDGAR's filings and facts as JSON"""
    edgar_www_url: str = "https://www.sec.gov"
    """EDGAR's list of tickers"""
    prices_url: str = ""
    """closing prices of shares as CSV with `Date` and `Close`, with `{ticker}` in its address; without it, and
    without a `price` in a start, nothing is valued"""
    prices_currency: str = "USD"
    """the currency of those prices"""
    embedder_url: str = ""
    """a service with `/v1/embeddings` that receives every question; without it, a local model
    compares them"""
    embedder_model: str = "text-embedding-3-small"
    """the model of that service"""
    embedder_api_key: HeaderSecret = SecretStr("")
    """sent to that service as a bearer token"""
    greenlight_fetch_allow: list[str] = []
    """host:port pairs that may be fetched although they are not public"""
    greenlight_web_allow: Domains = ""
    """the only domains to search and read, with their subdomains; comma-separated"""
    greenlight_web_deny: Domains = ""
    """domains never to search or read, even below an allowed one; comma-separated"""
    greenlight_host: str = "127.0.0.1"
    """the gateway's address"""
    greenlight_port: int = Field(8460, ge=1, le=65_535)
    """the gateway's port"""
    greenlight_allowed_hosts: list[str] = ["127.0.0.1", "localhost"]
    """Host headers that the gateway accepts"""
    greenlight_require_keys: bool = False
    """require an API key even before any exists; needed for a public address"""
    oidc_issuer: Annotated[str, AfterValidator(_require_issuer)] = ""
    """issuer of the OpenID Connect provider whose tokens the gateway accepts as well as API keys, as its discovery document spells it;
    empty: only API keys"""
    oidc_audience: str = ""
    """the audience that those tokens must name: this gateway, as the provider calls it"""
    oidc_user_claim: str = "sub"
    """the claim that is the user's id"""
    oidc_tenant_claim: str = ""
    """the claim that is the tenant's id; empty: all are of the tenant `default`"""
    oidc_role_claim: str = ""
    """the claim that is the user's role, by which approvers are named; empty: none has one"""
    oidc_scope_claim: str = "scope"
    """the claim that lists scopes, as words of one text or as a list"""
    oidc_scopes: dict[str, KeyScope] = {"greenlight:ask": "ask", "greenlight:decide": "decide"}
    """what the provider calls a scope -> `ask`, `decide`, `approve`, `admin`, `budgets` or, without OIDC_TENANT_CLAIM,
    `payloads`; others grant nothing"""
    greenlight_requests_per_key: int = Field(100, ge=1)
    """requests at once of one key, session, or address without a key; more are answered 429"""
    greenlight_requests_per_minute: int = Field(12_000, ge=1)
    """requests a minute of one user, or address without a key, at one gateway; half as many of one key or session; more are answered 429"""
    greenlight_starts_per_minute: int = Field(300, ge=1)
    """starts of runs a minute of one user at one gateway, half as many by one key; more are answered 429"""
    greenlight_streams_per_key: int = Field(300, ge=1)
    """event streams at once, counted in the same way"""
    greenlight_runs_per_tenant: int = Field(200, ge=1)
    """active runs of a tenant, those that wait for a human included; a further start is answered 429"""
    greenlight_connections_per_address: int = Field(1_000, ge=1)
    """connections at once of one address; behind a proxy all are the proxy's"""
    greenlight_signing_key: SecretStr = SecretStr("")
    """secret of gateway and worker, which signs decisions of named approvers"""
    greenlight_channel_keys: Annotated[SecretStr, AfterValidator(_require_named)] = SecretStr("")
    """secrets of gateway and worker that encrypt the addresses and secrets of alert channels in the database, comma-separated:
    the first one encrypts, all decrypt, and GREENLIGHT_SIGNING_KEY behind them; empty: it alone"""
    greenlight_public_url: str = ""
    """the gateway's address as its users reach it, as in https://research.example.org, for links in alerts;
    without it, GREENLIGHT_HOST and GREENLIGHT_PORT"""
    greenlight_alert_allow: list[str] = []
    """host:port pairs that alerts may be sent to although they are not public"""
    greenlight_alert_pause: timedelta = Field(timedelta(seconds=5), ge=timedelta(milliseconds=10))
    """delay until an alert that failed is sent again; each further one is four times as long, up to six hours"""
    greenlight_alert_patience: timedelta = timedelta(days=3)
    """how long an alert that fails is sent again"""
    smtp_url: Annotated[SecretStr, AfterValidator(_require_smtp)] = SecretStr("")
    """server for alerts by mail, as in smtp://user:password@mail.example.org:587 (with STARTTLS) or smtps://"""
    smtp_from: HeaderText = ""
    """sender of that mail; without it, no channel leads to a mail address"""
    greenlight_payload_keys: Annotated[SecretStr, AfterValidator(_require_payload_keys)] = (
        SecretStr("")
    )
    """keys that encrypt what Temporal stores (questions, plans, answers), each as `ID:KEY` with 32 bytes in base64,
    comma-separated: the first one encrypts, all decrypt; the same for gateway and workers (docs/operations.md)"""
    greenlight_codec_host: str = "127.0.0.1"
    """the address of the codec server, which decrypts those payloads for Temporal's UI and CLI"""
    greenlight_codec_port: int = Field(8461, ge=1, le=65_535)
    """its port"""
    greenlight_temporal_ui: str = ""
    """address of Temporal's UI with its namespace, as in http://127.0.0.1:8233/namespaces/default, to
    which the page links; `up` knows its own"""
    greenlight_temporal_metrics: str = Field("", pattern=r"^(.+:\d+)?$")
    """address, as in 127.0.0.1:9464, at which a worker serves the Temporal SDK's metrics to Prometheus; empty: nowhere"""
    greenlight_metrics: str = Field("", pattern=r"^(.+:\d+)?$")
    """address, as in 127.0.0.1:9465, at which a process serves the product's metrics to Prometheus, without a key; `up` gives the
    next ports to worker and crew worker; empty: nowhere"""
    greenlight_log: Literal["auto", "json", "text"] = "auto"
    """format of the logs of gateway, workers and codec server; auto: text on a terminal, JSON elsewhere"""
    greenlight_probe_folder: Folder = None
    """folder in which a worker touches `alive` every five seconds and `ready` once it takes work, for the probes of
    a container (docs/deployment.md)"""
    otel_exporter_otlp_endpoint: str = Field("", pattern=r"^(https?://.+)?$")
    """address of an OpenTelemetry collector (OTLP over HTTP), as in http://127.0.0.1:4318, that gateway and workers send their
    traces to; the SDK reads `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER` and the like; empty: no traces"""
    greenlight_task_queue: str = "research"
    """the worker's Temporal task queue"""
    greenlight_build_id: str = Field("", pattern=r"^[^\s:]*$", max_length=128)
    """version of the workers' code, the same for all workers of a release: Temporal routes runs to the version that
    is made current (docs/operations.md); empty: every worker takes every run"""
    greenlight_research_collection: str = "research-sessions"
    """name of a tenant's collection of runs in `GET /v1/metadata`"""
    greenlight_memory_share: float = Field(0, ge=0, lt=1)
    """share of memory (of the container's limit, else of the machine's) above which a worker takes fewer new tasks; 0: never"""
    greenlight_max_crews: int = Field(8, ge=1, le=50)
    """concurrent crews of a crew worker"""
    greenlight_crew_scratch: Path = Path(".greenlight/crew")
    """folder that CrewAI may write to"""
    greenlight_installs: bool = False
    """packages that only crews, PDF and Word files or the comparison of questions need are installed when first used;
    `up` sets it"""
    greenlight_search_attributes: bool = False
    """runs write RunStatus and RunDefinition, which must be registered"""
    greenlight_sticky_timeout: timedelta = timedelta(seconds=2)
    """delay until a dead worker's cached run moves to another worker"""
    greenlight_temp_kept: timedelta = Field(timedelta(minutes=15), ge=timedelta(0))
    """delay until a temporary run is removed after its end"""
    greenlight_retention_days: NonNegativeInt = 0
    """days until an ended run is removed; 0: never"""
    greenlight_stop_grace: timedelta = timedelta(seconds=5)
    """grace period for calls when a worker stops"""

    def servers(self) -> dict[str, ModelServer]:
        """Return the servers of single models, by model id."""
        found = _SERVERS.validate_json(self.greenlight_servers.get_secret_value() or "{}")
        return {
            model: ModelServer(str(server.url), server.key, server.api)
            for model, server in found.items()
        }

    def tool_servers(self) -> dict[str, InstalledServer]:
        """Return the installation's servers of tools, by name."""
        given = self.greenlight_mcp_servers.get_secret_value() or "{}"
        return {**_TOOL_SERVERS.validate_json(given)}

    def channel_keys(self) -> list[str]:
        """Return the secrets that encrypt what channels hold, the one in use first."""
        own = _list_names(self.greenlight_channel_keys.get_secret_value())
        return [key for key in (*own, self.greenlight_signing_key.get_secret_value()) if key]

    def payload_keys(self) -> dict[str, bytes]:
        """Return the keys of Temporal's payloads by id, the one that encrypts first."""
        named = (
            key.split(":") for key in _list_names(self.greenlight_payload_keys.get_secret_value())
        )
        return {key_id: base64.b64decode(key) for key_id, key in named}

    @model_validator(mode="after")
    def _require_audience(self) -> Self:
        """Refuse an issuer without an audience: its tokens for other applications would be accepted."""
        if self.oidc_issuer and not self.oidc_audience:
            raise Wrong("oidc-audience", at="oidc_audience")
        return self

    @model_validator(mode="after")
    def _bound_token_scopes(self) -> Self:
        """Refuse `payloads` where tokens name tenants: it reads all tenants' payloads, and the manager of one could grant it."""
        if self.oidc_tenant_claim and "payloads" in self.oidc_scopes.values():
            raise Wrong("oidc-payloads", at="oidc_scopes")
        return self

    def oidc(self) -> OidcTerms | None:
        """Return which tokens the gateway accepts; None if OIDC_ISSUER is not set."""
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
        """Return the names of the installation's servers of tools."""
        return _list_names(self.greenlight_mcp_configured) or [*self.tool_servers()]

    @property
    def asks_a_provider(self) -> bool:
        """Return whether the usual model has a server to be asked at: a key of the provider, or one of its own."""
        return bool(self.anthropic_api_key.get_secret_value()) or (
            self.greenlight_model in self.servers()
        )

    @model_validator(mode="after")
    def _discount_only_as_stated(self) -> Self:
        """Charge cached tokens of other servers in full, unless their price says what they cost."""
        for model, server in self.servers().items():
            price = self.greenlight_prices.get(model)
            if server.api == "chat" and price and "cache_read" not in price.model_fields_set:
                self.greenlight_prices[model] = price.model_copy(update={"cache_read": 1.0})
        return self

    def models_used(self) -> list[str]:
        """Return the ids of the models that the settings name."""
        named = [self.greenlight_model, *self.greenlight_models.values(), *self.servers()]
        return list(dict.fromkeys(named))

    def list_search_services(self) -> Chosen:
        """Return the search services that are configured, the preferred one first."""
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
        """Return the search services that are asked where neither a start nor a definition names others."""
        named = _SERVICES.validate_python(_list_names(self.greenlight_search))
        return named or self.list_search_services()[:1]

    def find_search_fee(self, name: ServiceName) -> float:
        """Return the fee of one search in US dollars; a library in the web's place costs nothing."""
        if self.searched or self.greenlight_offline:
            return 0.0
        return self.greenlight_search_prices.get(name, CATALOGUE.search_usd[name])

    def search_terms(self) -> SearchTerms:
        """Return the search services of a run that starts now, with the expected price of a search."""
        usd = {name: self.find_search_fee(name) for name in self.list_search_services()}
        if "anthropic" in usd and (
            price := self.greenlight_prices.get(self.greenlight_search_model)
        ):
            usd["anthropic"] += price.compute_usd(*SEARCH_TOKENS)
        return SearchTerms(usual=self.choose_search_services(), usd=usd)

    @property
    def public_url(self) -> str:
        """The gateway's address as its users reach it."""
        own = f"http://{self.greenlight_host}:{self.greenlight_port}"
        return self.greenlight_public_url or own

    @property
    def searched(self) -> Notice | None:
        """What is searched in place of the web; None: the web."""
        if folder := self.greenlight_library_folder:
            return Notice.of("searched-folder", "info", name=folder.resolve().name[:100])
        if self.greenlight_library == SAMPLE:
            return Notice.of("searched-sample", "info")
        library = self.greenlight_library
        return Notice.of("text", "info", text=library) if library else None

    @property
    def holds(self) -> Notice | None:
        """A description of the sample library for planners; None if another library, or the web, is searched."""
        is_sample = self.greenlight_library == SAMPLE and not self.greenlight_library_folder
        return Notice.of("sample-holds", "info") if is_sample else None

    def samples(self) -> list[Sample]:
        """Return the recorded runs whose answers can be replayed, in the order of their files' names."""
        files = sorted(self.greenlight_samples.glob("*.json.gz")) if self.greenlight_samples else []
        kept = [json.loads(gzip.decompress(path.read_bytes())) for path in files]
        return [Sample.model_validate(each["sample"]) for each in kept]

    def terms(self) -> Terms:
        """Return the terms of a run that starts now."""
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
"""The settings that only a process that needs them is given."""
SEARCH_SECRETS = ("brave_api_key", "tavily_api_key", "exa_api_key", "search_endpoint_key")
"""Those of the search services."""
