"""An identity provider's tokens, in addition to keys: which tokens are accepted, and for which user."""

import asyncio
import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, get_args

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from pydantic import SecretStr, ValidationError

from activities.alerts.decision_links import DecisionLinks
from api.access import oidc
from api.app import connect_temporal
from api.dependencies import Dependencies
from contracts.access.identity import is_safe_address
from contracts.access.principal import KeyScope, Principal
from contracts.base import Json
from contracts.human.decision_links import DecisionLink
from settings import Settings
from store.access.access_keys import KeyRepository
from store.blobs import BlobStore
from store.postgres.pool import Pool
from store.run_records.event_log import Listener
from store.run_records.runs import RunRepository
from tests.api.access.test_mcp import ACCEPT, OPENING, PING
from tests.api.conftest import served
from tests.store import samples
from tests.support.documents import BLOCKS
from tests.support.words import pattern

AUDIENCE = "greenlight-tests"
SCOPES: dict[str, KeyScope] = {
    f"greenlight:{scope}": scope for scope in get_args(KeyScope) if scope != "payloads"
}
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())


def publish(private: Any, kid: str) -> Json:
    algorithm = RSAAlgorithm if isinstance(private, rsa.RSAPrivateKey) else ECAlgorithm
    return {**algorithm.to_jwk(private.public_key(), as_dict=True), "kid": kid, "use": "sig"}


@dataclass
class Provider:
    """An identity provider on this machine: discovery and keys over HTTP."""

    url: str = ""
    keys: dict[str, Any] = field(default_factory=lambda: {"rsa": RSA, "ec": EC})
    asked: list[str] = field(default_factory=list)
    answer: tuple[int, str] | None = None
    """What it answers in place of its documents."""

    def sign(self, kid: str = "rsa", private: Any = None, alg: str = "", **claims: Any) -> str:
        """Return a token for ana of acme; claims set to None are omitted."""
        now = time.time()
        usual = {"iss": self.url, "aud": AUDIENCE, "sub": "ana", "org": "acme", "iat": now}
        usual |= {"exp": now + 600, "scope": "openid greenlight:decide"}
        told = {name: value for name, value in (usual | claims).items() if value is not None}
        key = private or self.keys.get(kid) or OTHER
        usual_alg = "ES256" if isinstance(key, ec.EllipticCurvePrivateKey) else "RS256"
        return jwt.encode(told, key, algorithm=alg or usual_alg, headers={"kid": kid})

    def serve(self, path: str) -> tuple[int, str]:
        self.asked.append(path)
        documents = {
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "jwks_uri": f"{self.url}/jwks",
            },
            "/jwks": {"keys": [publish(private, kid) for kid, private in self.keys.items()]},
        }
        found = documents.get(path)
        return self.answer or ((200, json.dumps(found)) if found else (404, ""))


@contextmanager
def running(provider: Provider) -> Iterator[Provider]:
    """Serve a provider for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = provider.serve(self.path)
            self.send_response(status)
            if status in {301, 302}:
                self.send_header("Location", body)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    port = int(provider.url.rpartition(":")[2]) if provider.url else 0
    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        provider.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}).start()
        try:
            yield provider
        finally:
            server.shutdown()


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running(Provider()) as made:
        yield made


@pytest.fixture
async def http(
    provider: Provider, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx.AsyncClient]:
    """A gateway that accepts the provider's tokens."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", "127.0.0.1:9")
    settings = Settings(
        database_url=database,
        blob_url=tmp_path.as_uri(),
        greenlight_signing_key=SecretStr("of gateway and worker"),
        oidc_issuer=provider.url,
        oidc_audience=AUDIENCE,
        oidc_tenant_claim="org",
        oidc_role_claim="role",
        oidc_scopes=SCOPES,
    )
    async with Pool(database, max_size=2) as pool, Listener(database) as listener:
        blobs = BlobStore(settings.blob_url)
        services = Dependencies(settings, pool, listener, await connect_temporal(blobs), blobs)
        async with served(services) as client:
            yield client


async def ask(http: httpx.AsyncClient, token: str | None) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
    return await http.get("/v1/session", headers=headers)


async def test_token_opens_the_gateway_as_its_user_and_role(
    http: httpx.AsyncClient, provider: Provider
) -> None:
    for kid in ("rsa", "ec"):
        answer = await ask(http, provider.sign(kid, role="Forschung & Prüfung"))
        assert answer.status_code == 200, answer.text
        assert answer.json() == {"user_id": "ana", "role": "Forschung & Prüfung"}
    assert provider.asked == ["/.well-known/openid-configuration", "/jwks"], "keys are cached"
    audience = await ask(http, provider.sign(aud=["another", AUDIENCE]))
    assert audience.status_code == 200


async def test_nobody_comes_in_without_key_or_token(
    http: httpx.AsyncClient, provider: Provider
) -> None:
    answer = await ask(http, None)
    assert (answer.status_code, answer.json()["code"]) == (401, "key-needed")
    assert provider.asked == []


async def test_key_works_beside_tokens_while_the_provider_is_down(
    http: httpx.AsyncClient, provider: Provider, database: str
) -> None:
    provider.answer = (500, "")
    async with Pool(database, max_size=1) as pool:
        keys = KeyRepository(pool)
        made, token = await keys.create(Principal(tenant_id="acme", user_id="bob"))
        assert (await ask(http, token)).json()["user_id"] == "bob"
        await keys.revoke(made.principal, made.id)
    assert provider.asked == []


def forge_none(provider: Provider) -> str:
    head, body, _ = provider.sign().split(".")
    told = json.loads(base64.urlsafe_b64decode(head + "=="))
    forged = base64.urlsafe_b64encode(json.dumps(told | {"alg": "none"}).encode()).rstrip(b"=")
    return f"{forged.decode()}.{body}."


def forge_hs256(provider: Provider) -> str:
    """Sign with the provider's public key as if it were a secret."""
    public = RSA.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    _, body, _ = provider.sign().split(".")
    head = (
        base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"rsa","typ":"JWT"}').rstrip(b"=").decode()
    )
    digest = hmac.digest(public, f"{head}.{body}".encode(), hashlib.sha256)
    return f"{head}.{body}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def tamper(provider: Provider) -> str:
    head, _, signature = provider.sign().split(".")
    return f"{head}.{provider.sign(sub='boss').split('.')[1]}.{signature}"


FORGED = {
    "alg none": forge_none,
    "HS256 by the public key": forge_hs256,
    "a changed body": tamper,
    "another's signature": lambda at: at.sign(private=OTHER),
    "wrong audience": lambda at: at.sign(aud="another-app"),
    "no audience": lambda at: at.sign(aud=None),
    "wrong issuer": lambda at: at.sign(iss="https://evil.example"),
    "expired": lambda at: at.sign(exp=time.time() - oidc.LEEWAY_SECONDS - 1),
    "no exp": lambda at: at.sign(exp=None),
    "no iat": lambda at: at.sign(iat=None),
    "no sub": lambda at: at.sign(sub=None),
    "future nbf": lambda at: at.sign(nbf=time.time() + 600),
    "future iat": lambda at: at.sign(iat=time.time() + 600),
    "no kid": lambda at: jwt.encode({"sub": "ana"}, RSA, algorithm="RS256"),
    "a long kid": lambda at: at.sign("k" * 201),
    "a long token": lambda at: at.sign(padding="x" * oidc.MAX_TOKEN_CHARS),
    "no token at all": lambda at: "hello",
    "empty parts": lambda at: "..",
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
async def test_token_that_is_not_the_providers_for_us_is_refused(
    http: httpx.AsyncClient, provider: Provider, forge: Any
) -> None:
    answer = await ask(http, forge(provider))
    assert (answer.status_code, answer.json()["code"]) == (401, "token-refused"), answer.text
    assert "WWW-Authenticate" in answer.headers
    assert (await ask(http, provider.sign())).status_code == 200, "others still come in"


async def test_clock_of_the_provider_may_differ_a_little(
    http: httpx.AsyncClient, provider: Provider
) -> None:
    late = provider.sign(exp=time.time() - oidc.LEEWAY_SECONDS / 2)
    assert (await ask(http, late)).status_code == 200


async def test_token_of_a_megabyte_is_refused_before_it_is_read(
    http: httpx.AsyncClient, provider: Provider
) -> None:
    answer = await ask(http, provider.sign(padding="x" * 1_000_000))
    assert answer.status_code == 431
    assert provider.asked == []


@pytest.mark.parametrize(
    ("claims", "claim"),
    [
        ({"org": None}, "org"),
        ({"org": ""}, "org"),
        ({"org": "a/b"}, "org"),
        ({"org": ["acme"]}, "org"),
        ({"sub": "../ana"}, "sub"),
        ({"role": 7}, "role"),
        ({"role": "finance\n7  boss"}, "role"),
        ({"role": "finance\x1b[8m"}, "role"),
        ({"role": "finance\u2028"}, "role"),
        ({"role": "\u202eecnanif"}, "role"),
        ({"role": "f" * 129}, "role"),
    ],
)
async def test_claim_that_names_nobody_is_refused_by_its_name(
    http: httpx.AsyncClient, provider: Provider, claims: dict[str, Any], claim: str
) -> None:
    answer = await ask(http, provider.sign(**claims))
    assert (answer.status_code, answer.json()["code"]) == (403, "token-claim")
    assert answer.json()["params"] == {"claim": claim}


@pytest.mark.parametrize(
    ("scope", "code"),
    [
        ("openid greenlight:decide", "schedule-unknown"),
        (["greenlight:admin", "other"], "schedule-unknown"),
        ("greenlight:ask greenlight:payloads", "key-decides-nothing"),
        ("greenlight:payloads", "token-grants-nothing"),
        ("greenlight:everything admin decide", "token-grants-nothing"),
        ("", "token-grants-nothing"),
        (None, "token-grants-nothing"),
        ({"greenlight:admin": True}, "token-grants-nothing"),
    ],
)
async def test_unknown_scopes_grant_nothing(
    http: httpx.AsyncClient, provider: Provider, scope: object, code: str
) -> None:
    """Deleting a schedule needs the scope `decide`; the schedule does not exist."""
    headers = {"Authorization": f"Bearer {provider.sign(scope=scope)}"}
    answer = await http.delete("/v1/schedules/none", headers=headers)
    assert answer.json()["code"] == code, answer.text


async def test_session_of_mcp_belongs_to_the_holder_of_the_token_that_opened_it(
    http: httpx.AsyncClient, provider: Provider
) -> None:
    """The next token of the same user goes on with it."""

    async def post(body: Mapping[str, object], session: str, **claims: str) -> httpx.Response:
        headers = ACCEPT | {"Authorization": f"Bearer {provider.sign(**claims)}"}
        named = {"Mcp-Session-Id": session} if session else {}
        return await http.post("/mcp", json=body, headers=headers | named)

    session = (await post(OPENING, "")).headers["mcp-session-id"]
    assert (await post(PING, session, jti="next")).status_code == 200
    assert (await post(PING, session, sub="ben")).status_code == 404
    assert (await post(PING, session, org="other")).status_code == 404


async def test_audit_log_is_for_tokens_of_the_scope_admin(
    http: httpx.AsyncClient, provider: Provider
) -> None:
    for scope, status in (("greenlight:admin", 200), ("greenlight:approve", 403)):
        headers = {"Authorization": f"Bearer {provider.sign(scope=scope)}"}
        assert (await http.get("/v1/audit", headers=headers)).status_code == status


def advance_clock(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Advance the clock of cached keys, but not the event loop's: all its timers would fire that much later."""
    clock = time.monotonic
    monkeypatch.setattr(asyncio.get_running_loop(), "time", clock)
    monkeypatch.setattr(time, "monotonic", lambda: clock() + seconds)


async def test_rotated_key_is_taken_up_once_we_may_ask_again(
    http: httpx.AsyncClient, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await ask(http, provider.sign())).status_code == 200
    provider.keys = {"new": OTHER}
    early = await ask(http, provider.sign("new"))
    assert (early.status_code, early.json()["code"]) == (401, "token-key-unknown")
    assert early.headers["Retry-After"] == str(oidc.COOLDOWN_SECONDS)
    advance_clock(monkeypatch, oidc.COOLDOWN_SECONDS + 1)
    assert (await ask(http, provider.sign("new"))).status_code == 200
    gone = await ask(http, provider.sign("rsa", RSA))
    assert gone.json()["code"] == "token-key-unknown"


async def test_invented_key_ids_do_not_reach_the_provider(
    http: httpx.AsyncClient, provider: Provider
) -> None:
    assert (await ask(http, provider.sign())).status_code == 200
    asked = len(provider.asked)
    for n in range(50):
        forged = await ask(http, provider.sign(f"invented-{n}"))
        assert forged.json()["code"] == "token-key-unknown"
    assert len(provider.asked) == asked
    assert (await ask(http, provider.sign())).status_code == 200


async def test_known_keys_outlive_the_provider_for_a_while(
    provider: Provider, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await ask(http, provider.sign())).status_code == 200
    provider.answer = (500, "")
    assert (await ask(http, provider.sign())).status_code == 200
    advance_clock(monkeypatch, oidc.KEYS_KEPT_SECONDS + 1)
    away = await ask(http, provider.sign())
    assert (away.status_code, away.json()["code"]) == (503, "identity-provider-away")
    assert away.headers["Retry-After"]
    asked = len(provider.asked)
    assert (await ask(http, provider.sign())).status_code == 503
    assert len(provider.asked) == asked, "a provider that fails is left alone for a moment"


@pytest.mark.parametrize(
    "answer",
    [
        (500, ""),
        (200, "<html>"),
        (200, "[]"),
        (200, '{"issuer": "https://evil.example", "jwks_uri": "https://evil.example/jwks"}'),
        (200, '{"keys": []}'),
        (200, "x" * (oidc.MAX_DOCUMENT_BYTES + 1)),
        (302, "http://127.0.0.1:9/"),
    ],
    ids=["error", "a page", "a list", "another issuer", "no keys", "too large", "a redirect"],
)
async def test_answer_that_is_no_providers_is_an_outage(
    http: httpx.AsyncClient, provider: Provider, answer: tuple[int, str]
) -> None:
    provider.answer = answer
    away = await ask(http, provider.sign())
    assert (away.status_code, away.json()["code"]) == (503, "identity-provider-away")


async def test_discovery_leads_to_no_address_that_others_can_change(
    http: httpx.AsyncClient, provider: Provider
) -> None:
    led = {"issuer": provider.url, "jwks_uri": "http://169.254.169.254/jwks"}
    provider.answer = (200, json.dumps(led))
    assert (await ask(http, provider.sign())).status_code == 503
    assert len(provider.asked) == 1


@pytest.mark.parametrize(
    ("url", "is_safe"),
    [
        ("https://id.example.org/realms/a", True),
        ("http://localhost:8080", True),
        ("http://[::1]:8080", True),
        ("http://id.example.org", False),
        ("http://127.0.0.1.example.org", False),
        ("file:///etc/passwd", False),
        ("https://", False),
        ("id.example.org", False),
    ],
)
def test_issuer_speaks_tls_or_is_this_machine(url: str, is_safe: bool) -> None:
    assert is_safe_address(url) is is_safe
    if is_safe:
        assert Settings(oidc_issuer=url, oidc_audience="a").oidc()
    else:
        with pytest.raises(ValidationError, match="https"):
            Settings(oidc_issuer=url, oidc_audience="a")


async def test_key_of_a_token_lasts_a_month_and_schedules_need_one(
    http: httpx.AsyncClient, provider: Provider, database: str
) -> None:
    """Tokens expire, so schedules and channels made with one could never be ended."""
    headers = {"Authorization": f"Bearer {provider.sign()}"}
    body = {"from_run": "run-none", "time": "09:00"}
    refused = await http.post("/v1/schedules", json=body, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "schedule-needs-key")
    hook = {"kind": "webhook", "target": "https://example.org/x", "events": ["run.waiting"]}
    refused = await http.post("/v1/channels", json=hook, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "channel-needs-key")
    made = (await http.post("/v1/keys", headers=headers)).json()
    left = datetime.fromisoformat(made["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=29) < left < timedelta(days=31)
    headers = {"Authorization": f"Bearer {made['token']}"}
    unknown = await http.post("/v1/schedules", json=body, headers=headers)
    assert unknown.json()["code"] == "run-unknown"
    assert (await http.delete(f"/v1/keys/{made['id']}", headers=headers)).status_code == 204


def test_page_on_identity_shows_settings_that_work(monkeypatch: pytest.MonkeyPatch) -> None:
    [block] = [b for b in BLOCKS if b.page == "docs/identity.md" and b.language == "ini"]
    for line in block.text.splitlines():
        name, _, value = line.partition("=")
        monkeypatch.setenv(name, value)
    terms = Settings().oidc()
    assert terms is not None
    assert (terms.tenant_claim, terms.scopes["research:approve"]) == ("org", "decide")


def test_tokens_grant_little_by_default_and_never_the_payloads_of_other_tenants() -> None:
    """The manager of one tenant at a shared provider grants scopes there."""
    terms = Settings(oidc_issuer="https://id.example.org", oidc_audience="a").oidc()
    assert terms is not None
    assert set(terms.scopes.values()) == {"ask", "decide"}
    mapped: dict[str, KeyScope] = {"reader": "payloads"}
    assert Settings(oidc_scopes=mapped).oidc_scopes == mapped
    with pytest.raises(ValidationError, match=pattern("oidc-payloads")):
        Settings(oidc_scopes=mapped, oidc_tenant_claim="org")


def test_issuer_without_an_audience_is_refused() -> None:
    with pytest.raises(ValidationError, match="OIDC_AUDIENCE"):
        Settings(oidc_issuer="https://id.example.org")


async def test_what_a_tokens_key_makes_ends_with_that_key(
    http: httpx.AsyncClient, provider: Provider, database: str
) -> None:
    """Users who left the provider lose access after a month, including through keys they created."""
    by_token = {"Authorization": f"Bearer {provider.sign(scope='greenlight:admin')}"}
    first = (await http.post("/v1/keys", headers=by_token)).json()
    by_key = {"Authorization": f"Bearer {first['token']}"}
    second = (await http.post("/v1/keys", headers=by_key)).json()
    async with Pool(database, max_size=1) as pool:
        started = samples.started("run-left", tenant_id="acme", user_id="ana")
        await RunRepository(pool).create(started, samples.opened())
        lasting = {"tenant": "acme", "id": first["id"]}
        await http.post("/v1/session", json={"key": first["token"]})
        [session] = await pool.fetch(
            "SELECT to_jsonb(expires_at) FROM api_keys WHERE tenant_id = %(tenant)s"
            " AND parent_id = %(id)s AND kind = 'session'",
            lasting,
        )
    http.cookies.clear()
    links = [
        (await http.post("/v1/runs/run-left/share-links", json=body, headers=headers)).json()
        for body in ({}, {"days": 365})
        for headers in (by_key, by_token)
    ]
    end = datetime.fromisoformat(first["expires_at"])
    made = [datetime.fromisoformat(at["expires_at"]) for at in (second, *links)]
    assert made[0] == made[1] == made[3] == end
    assert all(at - end < timedelta(minutes=1) for at in made), "a token's link has a month as well"
    assert datetime.fromisoformat(session) <= end


async def test_decision_link_without_a_key_is_void_where_tokens_come_in(
    http: httpx.AsyncClient, database: str
) -> None:
    """It would act for nobody, whom no run refuses."""
    async with Pool(database, max_size=1) as pool:
        started = samples.started("run-linked", tenant_id="acme", user_id="ana")
        await RunRepository(pool).create(started, samples.opened())
    link = DecisionLink(
        tenant_id="acme",
        run_id="run-linked",
        checkpoint_id="c",
        plan_hash="h",
        user_id="ana",
        expires_at=int(time.time()) + 600,
    )
    token = DecisionLinks("of gateway and worker", "").sign(link)
    shown = await http.get(f"/decide/{token}")
    assert shown.status_code == 403, shown.text
    assert (await http.post(f"/decide/{token}/approve")).status_code == 403
