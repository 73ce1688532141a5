"""`python -m offline`: the offline services as one process on the loopback."""

import argparse
import gc
import json
import os
import secrets
import socket
import threading
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware

from offline import chat_completions, control, edgar, faults, messages, pages, search
from offline.access import KEY, KEY_VARIABLE, AccessControl
from offline.control import Control
from offline.filings.filing_store import Cabinet
from offline.library.index import Library, Shelf
from offline.library.sample import Sample

HOST = "127.0.0.1"


class OfflineServer(uvicorn.Server):
    """A server that prints its addresses in one line of JSON once it listens."""

    key = ""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the base URLs as one line of JSON; URLs that need the key contain it."""
        await super().startup(sockets)
        base = f"http://{HOST}:{self.servers[0].sockets[0].getsockname()[1]}"
        query = f"?{KEY}={self.key}" if self.key else ""
        line = {"pages": f"{base}/pages", "requests": f"{base}/requests{query}"}
        print(json.dumps(dict.fromkeys(("model", "search", "edgar"), base) | line), flush=True)


def main(shelf: Shelf | None = None) -> None:
    """Serve the sample, or another folder, until stopped; exit 2 if the port is taken."""
    options = make_parser()
    arguments = options.parse_args()
    library = Library(shelf or Sample())
    threading.Thread(target=library.refresh, daemon=True).start()
    given = os.environ.pop(KEY_VARIABLE, "")
    key = given or secrets.token_urlsafe()
    switches = Control(arguments.latency, arguments.pace)
    access = Middleware(AccessControl, key=key, linked_port=arguments.linked_port)
    app = create_app(library, Cabinet(arguments.filings), switches, access)
    # asyncio switches off Nagle's delay, 40 ms an answer, only where the protocol is named.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, arguments.port))
    except OSError as error:
        options.exit(2, f"offline: port {arguments.port} cannot be had: {error.strerror}\n")
    gc.freeze()  # keep the imported libraries out of garbage collections
    config = uvicorn.Config(
        app, log_level="critical", timeout_graceful_shutdown=1, timeout_keep_alive=75
    )  # longer than any client keeps an idle connection, so that no request meets a closed one
    server = OfflineServer(config)
    server.key = (
        "" if given else key
    )  # a key that was passed in is known to the caller, and this line is logged
    server.run([listener])


def create_app(
    library: Library, cabinet: Cabinet, switches: Control, access: Middleware
) -> Starlette:
    """Return the services over a library and the filings of companies."""
    log = faults.RequestLog()
    answering = messages.Answering()
    models = [
        *messages.routes(switches, answering, library),
        *chat_completions.routes(switches, answering),
    ]
    services = [*models, *search.routes(library), *pages.routes(library)]
    others = [*edgar.routes(cabinet), *control.routes(switches), *faults.routes(log)]
    faulty = Middleware(faults.Faults, log=log, control=switches)
    return Starlette(routes=[*services, *others], middleware=[access, faulty])


def make_parser() -> argparse.ArgumentParser:
    """Return the command line."""
    parser = argparse.ArgumentParser(prog="python -m offline", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--linked-port", type=int, help="a port that is forwarded here")
    parser.add_argument(
        "--filings", type=Path, help="a folder of companies' facts, beside the sample's"
    )
    parser.add_argument("--pace", type=float, default=0.0, help="seconds of a streamed reply")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before any answer")
    return parser


if __name__ == "__main__":
    main()
