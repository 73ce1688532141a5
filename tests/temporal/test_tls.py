"""Temporal over TLS, as Temporal Cloud and a cluster of one's own speak it: by client certificate, or by API key."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from hpack import Decoder
from temporalio.client import Client

from store.blobs import BlobStore
from temporal.connection import load_connect_options

PREFACE, FRAME_HEAD, HEADERS = 24, 9, 1
PADDED, PRIORITY = 0x8, 0x20


@dataclass
class Authority:
    """A certificate authority of a test, and the certificates that it signed, as files in a folder."""

    folder: Path
    name: str

    def __post_init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._subject = _name(self.name)
        self.certificate = self._write("ca", self._sign(self._subject, self._key, is_ca=True))

    def issue(self, name: str) -> tuple[Path, Path]:
        """Return the files of a certificate for 127.0.0.1 and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._write(name, self._sign(_name(name), key, is_ca=False))
        file = self.folder / f"{self.name}-{name}.key"
        pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        file.write_bytes(key.private_bytes(pem, form, serialization.NoEncryption()))
        return certificate, file

    def _sign(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *, is_ca: bool
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + timedelta(hours=1))
            .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
            .add_extension(
                x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]),
                critical=False,
            )
            .sign(self._key, hashes.SHA256())
        )

    def _write(self, name: str, certificate: x509.Certificate) -> Path:
        file = self.folder / f"{self.name}-{name}.crt"
        file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        return file


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


@dataclass
class TlsFrontend:
    """Ends TLS before a Temporal server, and notes what each connection sends."""

    address: str
    sent: list[bytearray] = field(default_factory=list)

    def list_headers(self) -> Iterator[tuple[str, str]]:
        """Yield the headers of all requests."""
        for connection in self.sent:
            decoder, rest = Decoder(), bytes(connection[PREFACE:])
            while len(rest) >= FRAME_HEAD:
                size, kind, flags = int.from_bytes(rest[:3]), rest[3], rest[4]
                payload, rest = rest[FRAME_HEAD : FRAME_HEAD + size], rest[FRAME_HEAD + size :]
                if kind == HEADERS and len(payload) == size:
                    start = bool(flags & PADDED) + 5 * bool(flags & PRIORITY)
                    end = size - payload[0] if flags & PADDED else size
                    for name, value, *_ in decoder.decode(payload[start:end]):
                        yield str(name), str(value)


@asynccontextmanager
async def serve_tls(
    target: str, server: tuple[Path, Path], client_authority: Path | None
) -> AsyncIterator[TlsFrontend]:
    """Serve a Temporal server over TLS; with an authority, require a client certificate that it signed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*server)
    context.set_alpn_protocols(["h2"])
    if client_authority:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client_authority)
    frontend = TlsFrontend("")

    async def pump(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, noted: bytearray
    ) -> None:
        while data := await reader.read(65_536):
            noted += data
            writer.write(data)
            await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(*target.split(":"))
        frontend.sent.append(bytearray())
        both = (pump(reader, back, frontend.sent[-1]), pump(there, writer, bytearray()))
        await asyncio.gather(*both, return_exceptions=True)

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as listening:
        host, port = listening.sockets[0].getsockname()
        frontend.address = f"{host}:{port}"
        yield frontend


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "ours")


@pytest.fixture
def target(temporal: Client) -> str:
    return temporal.service_client.config.target_host


async def connect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **variables: Path | str) -> None:
    """Connect as a worker does, by the environment alone, and ask for the namespace."""
    for name, value in variables.items():
        monkeypatch.setenv(f"TEMPORAL_{name}", str(value))
    options = load_connect_options(BlobStore(tmp_path.as_uri()))
    client = await Client.connect(**options)
    assert await client.service_client.check_health()


async def test_client_certificate_opens_a_server_that_asks_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, authority: Authority, target: str
) -> None:
    certificate, key = authority.issue("client")
    server = authority.issue("server")
    async with serve_tls(target, server, authority.certificate) as frontend:
        await connect(
            tmp_path,
            monkeypatch,
            ADDRESS=frontend.address,
            TLS="true",
            TLS_SERVER_CA_CERT_PATH=authority.certificate,
            TLS_CLIENT_CERT_PATH=certificate,
            TLS_CLIENT_KEY_PATH=key,
        )
        assert (":path", "/grpc.health.v1.Health/Check") in frontend.list_headers()


@pytest.mark.parametrize("presents", ["nothing", "a stranger's certificate"])
async def test_server_that_asks_for_a_certificate_is_closed_to_others(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    authority: Authority,
    target: str,
    presents: str,
) -> None:
    certificate, key = Authority(tmp_path, "stranger").issue("client")
    own = {"TLS_CLIENT_CERT_PATH": certificate, "TLS_CLIENT_KEY_PATH": key}
    async with serve_tls(target, authority.issue("server"), authority.certificate) as frontend:
        with pytest.raises(RuntimeError):
            await connect(
                tmp_path,
                monkeypatch,
                ADDRESS=frontend.address,
                TLS="true",
                TLS_SERVER_CA_CERT_PATH=authority.certificate,
                **(own if presents != "nothing" else {}),
            )
        assert not frontend.sent


async def test_api_key_is_sent_over_tls_without_being_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, authority: Authority, target: str
) -> None:
    async with serve_tls(target, authority.issue("server"), None) as frontend:
        await connect(
            tmp_path,
            monkeypatch,
            ADDRESS=frontend.address,
            API_KEY="a key of Temporal Cloud",
            NAMESPACE="research.a1b2c",
            TLS_SERVER_CA_CERT_PATH=authority.certificate,
        )
        assert ("authorization", "Bearer a key of Temporal Cloud") in frontend.list_headers()


async def test_api_key_is_not_sent_to_a_server_of_an_unknown_authority(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, authority: Authority, target: str
) -> None:
    stranger = Authority(tmp_path, "stranger").issue("server")
    async with serve_tls(target, stranger, None) as frontend:
        with pytest.raises(RuntimeError):
            await connect(
                tmp_path,
                monkeypatch,
                ADDRESS=frontend.address,
                API_KEY="secret",
                TLS_SERVER_CA_CERT_PATH=authority.certificate,
            )
        assert not any(frontend.sent)
