"""A bucket over HTTP, as far as blobs need one: S3's object requests and its list, by hand."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape


@dataclass
class Bucket:
    """What it holds by path, and the access keys that requests were signed with."""

    objects: dict[str, bytes] = field(default_factory=dict)
    signed_with: set[str] = field(default_factory=set)
    port: int = 0

    def answer(self, verb: str, address: str, body: bytes) -> tuple[int, bytes]:
        """Return the status and body of an answer."""
        url = urlsplit(address)
        path = unquote(url.path)
        if verb == "PUT":
            self.objects[path] = body
            return 200, b""
        if verb == "POST":
            return 200, self._delete(path, body.decode()).encode()
        if "list-type" in (query := parse_qs(url.query)):
            return 200, self._list(path, query["prefix"][0]).encode()
        found = self.objects.get(path)
        return (404, b"<Error><Code>NoSuchKey</Code></Error>") if found is None else (200, found)

    def _delete(self, bucket: str, asked: str) -> str:
        keys = re.findall("<Key>(.*?)</Key>", asked)
        for key in keys:
            self.objects.pop(f"{bucket}/{unescape(key)}", None)
        done = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        return f"<DeleteResult>{done}</DeleteResult>"

    def _list(self, bucket: str, prefix: str) -> str:
        keys = [path.removeprefix(f"{bucket}/") for path in sorted(self.objects)]
        entries = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>1</Size><ETag>x</ETag>"
            "<LastModified>2026-11-27T00:00:00.000Z</LastModified></Contents>"
            for key in keys
            if key.startswith(prefix)
        )
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>"


@contextmanager
def serve_bucket() -> Iterator[Bucket]:
    """Serve an empty bucket on 127.0.0.1."""
    bucket = Bucket()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            credential = self.headers.get("authorization", "").partition("Credential=")[2]
            bucket.signed_with.add(credential.partition("/")[0])
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            status, answer = bucket.answer(self.command, self.path, body)
            self.send_response(status)
            self.send_header("etag", '"x"')
            self.send_header("last-modified", "Fri, 27 Nov 2026 00:00:00 GMT")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_PUT = do_POST = _answer  # noqa: N815 - named by the library

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        bucket.port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield bucket
        server.shutdown()
