"""`python -m greenlight.offline`: the offline services as one process on the loopback."""

import argparse
import gc
import json
import socket
import sys
import threading
from pathlib import Path

import uvicorn

from greenlight.offline.app import create_app
from greenlight.offline.filings.cabinet import Cabinet
from greenlight.offline.filings.notices import Notices
from greenlight.offline.library.document import Shelf
from greenlight.offline.library.factbook import Factbook
from greenlight.offline.library.folder import Folder
from greenlight.offline.library.index import Library
from greenlight.offline.library.shelves import Shelves

HOST = "127.0.0.1"


class Server(uvicorn.Server):
    """Says where it listens, in one line of JSON, once it does."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the addresses."""
        await super().startup(sockets)
        base = f"http://{HOST}:{self.servers[0].sockets[0].getsockname()[1]}"
        line = {
            "model": base,
            "search": base,
            "pages": f"{base}/pages",
            "edgar": base,
            "requests": f"{base}/requests",
        }
        print(json.dumps(line), flush=True)


def main() -> None:
    """Serve until told to stop; exit 2 where the library or the port cannot be had."""
    arguments = parser().parse_args()
    try:
        shelf: Shelf = Folder(arguments.library) if arguments.library else sample()
    except OSError as error:
        sys.exit(
            complain(f"the library {str(arguments.library)!r} cannot be read: {error.strerror}")
        )
    library = Library(shelf)
    threading.Thread(target=library.refresh, daemon=True).start()
    app = create_app(library, Cabinet(arguments.library), arguments.latency, arguments.pace)
    # asyncio switches off Nagle's delay, 40 ms an answer, only where the protocol is named.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, arguments.port))
    except OSError as error:
        sys.exit(complain(f"port {arguments.port} cannot be had: {error.strerror}"))
    gc.freeze()  # the garbage collector need not look through the libraries again and again
    config = uvicorn.Config(
        app, log_level="critical", timeout_graceful_shutdown=1, timeout_keep_alive=75
    )  # no client waits longer before it sends on: one that does would lose its request
    Server(config).run([listener])


def sample() -> Shelf:
    """Return the sample library: country data, and notices of two companies' results."""
    return Shelves([Factbook(), Notices(Cabinet())])


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    parser = argparse.ArgumentParser(prog="python -m greenlight.offline", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--library", type=Path, help="a folder of documents; default: the sample")
    parser.add_argument(
        "--pace", type=float, default=0.0, help="seconds that a streamed reply takes"
    )
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before any answer")
    return parser


def complain(text: str) -> int:
    """Print an error; return the exit code for it."""
    print(f"greenlight.offline: {text}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    main()
