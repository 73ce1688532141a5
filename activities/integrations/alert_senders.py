"""Senders of alerts: HTTP over checked addresses, and mail by the operator's server."""

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

import aiosmtplib
import httpx

from activities.integrations.http.http_statuses import parse_retry_after
from activities.integrations.http.page_fetcher import GuardedTransport, parse_url
from activities.integrations.http.ssrf_guard import GuardedNetwork
from contracts.alerts import SendOutcome
from contracts.errors import FetchFailed, FetchRefused
from contracts.notices import Notice

SEND_SECONDS = 20.0
GONE = 410
LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_AGENT = "Greenlight/0.1 (alerts)"


class HttpSender:
    """Posts JSON, follows no redirect, and reaches public addresses and the `host:port` pairs in `allow`."""

    def __init__(self, allow: Sequence[str] = (), seconds: float = SEND_SECONDS) -> None:
        network = GuardedNetwork(frozenset(pair.lower() for pair in allow))
        self._client = httpx.AsyncClient(
            transport=GuardedTransport(network),
            follow_redirects=False,
            timeout=seconds,
            trust_env=False,
        )
        self._seconds = seconds

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> SendOutcome:
        """Post a body once, reading only the status and `Retry-After` of the response."""
        sent = {"Content-Type": "application/json", "User-Agent": _AGENT, **headers}
        try:
            target = parse_url(url)
            async with (
                asyncio.timeout(self._seconds),
                self._client.stream("POST", target, content=body, headers=sent) as answer,
            ):
                return _judge(target.host, answer)
        except FetchRefused as error:
            return SendOutcome(failure=_reword(error.words), is_final=True)
        except FetchFailed as error:
            return SendOutcome(failure=error.words)
        except (TimeoutError, httpx.TimeoutException):
            host = urlsplit(url).hostname or ""
            return SendOutcome(failure=Notice.of("fetch-late", host=host, seconds=self._seconds))
        except httpx.TransportError:
            return SendOutcome(failure=Notice.of("fetch-broken", host=urlsplit(url).hostname or ""))


def _reword(refusal: Notice) -> Notice:
    """Reword the refusal of a private host for alerts, where an operator may allow it."""
    if refusal.code != "host-private":
        return refusal
    return Notice.of("alert-host-private", **refusal.params)


def _judge(host: str, answer: httpx.Response) -> SendOutcome:
    status = answer.status_code
    if answer.is_success:
        return SendOutcome()
    failure = Notice.of("fetch-status", host=host, status=status)
    asked = answer.headers.get("retry-after", "") if status in {429, 503} else ""
    return SendOutcome(
        failure=failure, retry_after=parse_retry_after(asked), is_gone=status == GONE
    )


class MailSender:
    """Sends mail by the server of an `smtp://` or `smtps://` address; without STARTTLS to this machine alone."""

    def __init__(self, server: str, sender: str, seconds: float = SEND_SECONDS) -> None:
        self.sender = sender
        self._server = urlsplit(server)
        self._seconds = seconds

    async def send(self, mail: EmailMessage) -> SendOutcome:
        """Hand a mail to the server once."""
        server = self._server
        if not (server.hostname and self.sender):
            return SendOutcome(failure=Notice.of("mail-unset"), is_final=True)
        is_tls = server.scheme == "smtps"
        is_local = server.hostname in LOOPBACK
        try:
            await aiosmtplib.send(
                mail,
                hostname=server.hostname,
                port=server.port or (465 if is_tls else 587),
                username=unquote(server.username) if server.username else None,
                password=unquote(server.password) if server.password else None,
                use_tls=is_tls,
                start_tls=None if is_tls or is_local else True,
                timeout=self._seconds,
            )
        except aiosmtplib.SMTPRecipientsRefused:
            return SendOutcome(failure=Notice.of("mail-recipient-refused", address=str(mail["To"])))
        except (aiosmtplib.SMTPException, OSError, ssl.SSLError) as error:
            return SendOutcome(failure=Notice.of("mail-failed", reason=str(error)[:300]))
        return SendOutcome()
