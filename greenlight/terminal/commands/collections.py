"""`collections`: list, fill, show and remove a user's collections of documents."""

import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rich.console import Console

from activities.collections.folder import MAX_NAMED, FolderFile, FolderListing, list_folder
from activities.collections.library import LARGEST_BYTES
from contracts.collections import Collection, CollectionDocument
from contracts.evidence.read_failures import describe_failure
from contracts.media_types import SUFFIXES
from contracts.words import say
from greenlight.client import GatewayClient, Refused
from greenlight.errors import CommandError, UsageError
from greenlight.terminal.commands.listings import print_rows
from greenlight.terminal.console import confirm, open_console
from greenlight.terminal.display import tables
from greenlight.terminal.display.widgets import shorten
from greenlight.terminal.stack_connection import open_gateway

POLL_SECONDS = 0.5
PATH = "/v1/collections"


def collections(args: Namespace) -> int:
    """List, fill, show or remove collections."""
    with open_gateway(args) as gateway:
        match args.action:
            case "add":
                return _add(gateway, args, open_console(stderr=True))
            case "remove":
                return _remove(gateway, args)
            case "show":
                rows = [*_list_documents(gateway, args.name)]
                found = gateway.get(f"{PATH}/{quote(args.name, safe='')}")
                _print_notices(found, open_console(stderr=True))
                return print_rows(args, rows, tables.draw_documents, say("en", "cli-no-documents"))
            case _:
                rows = gateway.get(PATH)["items"]
                empty = say("en", "cli-no-collections")
                return print_rows(args, rows, tables.draw_collections, empty)


def _list_documents(gateway: GatewayClient, name: str, status: str = "") -> Iterator[tables.Row]:
    cursor: str | None = ""
    while cursor is not None:
        query = {"cursor": cursor, "limit": 500} | ({"status": status} if status else {})
        page = gateway.get(f"{PATH}/{quote(name, safe='')}/documents", **query)
        yield from page["items"]
        cursor = page["next_cursor"]


def _add(gateway: GatewayClient, args: Namespace, console: Console) -> int:
    """Upload files, and all documents of folders; then show how far they are read."""
    listing = _list_paths(args.paths)
    given = {name: file.path for name, file in listing.files.items() if not file.refusal}
    unread = {name: file.refusal.text for name, file in listing.files.items() if file.refusal}
    refused = {name: why.text for name, why in listing.unlisted.items()}
    if not given:
        _print_reasons(console, "cli-not-read", unread | refused)
        raise UsageError.of("cli-path-empty", known=list(SUFFIXES))
    collection = gateway.request("POST", PATH, json={"name": args.name}).json()
    name, changed = collection["name"], 0
    with console.status("") as status:
        for n, (document, path) in enumerate(given.items(), start=1):
            status.update(say("en", "cli-uploading", n=n, of=len(given), name=document))
            try:
                changed += _upload(gateway, name, document, path)
            except (OSError, UsageError, CommandError) as error:
                refused[document] = str(error)
    console.print(say("en", "cli-uploaded", n=changed, of=len(given)), highlight=False)
    _print_reasons(console, "cli-not-added", refused)
    _print_reasons(console, "cli-not-read", unread)
    if args.wait:
        _follow(gateway, name, console)
    return 1 if refused else 0


def _print_reasons(console: Console, code: str, reasons: Mapping[str, str]) -> None:
    told = (say("en", code, name=name, reason=reason) for name, reason in reasons.items())
    lines = [f"  {line}" for line in told]
    for line in shorten(lines, MAX_NAMED):
        console.print(line, style="yellow", markup=False, highlight=False)


def _print_notices(found: Mapping[str, Any], console: Console) -> None:
    for notice in Collection.model_validate(found).unlisted:
        console.print(notice.text, style="yellow", markup=False)


def _list_paths(paths: Sequence[Path]) -> FolderListing:
    """Return the documents at some paths by their names in the collection, and what of folders is not read."""
    found = FolderListing()
    for path in paths:
        if path.is_dir():
            listing = list_folder(path.resolve())
            files = listing.files
            found.unlisted |= {name or str(path): why for name, why in listing.unlisted.items()}
        elif path.is_file():
            files = {path.name: FolderFile(path, "")}
        else:
            raise UsageError.of("cli-path-missing", path=str(path))
        taken = [file.path for name, file in files.items() if name in found.files]
        found.unlisted |= {str(other): describe_failure("name_taken") for other in taken}
        found.files = files | found.files
    return found


def _upload(gateway: GatewayClient, collection: str, document: str, path: Path) -> bool:
    """Upload a file; return whether it is new or changed. The request is retried if the gateway is busy."""
    if path.stat().st_size > LARGEST_BYTES:
        raise UsageError.of("failure.too_large", most=LARGEST_BYTES // 10**6)
    body = path.read_bytes()
    while True:
        try:
            told = gateway.request(
                "PUT",
                f"{PATH}/{quote(collection, safe='')}/documents",
                params={"name": document},
                content=body,
                headers={"Content-Type": "application/octet-stream"},
            )
        except Refused as busy:
            if busy.status is not HTTPStatus.TOO_MANY_REQUESTS:
                raise
            time.sleep(POLL_SECONDS)
        else:
            return told.status_code == HTTPStatus.ACCEPTED


def _follow(gateway: GatewayClient, name: str, console: Console) -> None:
    """Show a collection's indexing progress until it is done, then its unreadable documents."""
    with console.status("") as status:
        while True:
            found = Collection.model_validate(gateway.get(f"{PATH}/{quote(name, safe='')}"))
            done = found.documents - found.unread
            status.update(say("en", "cli-reading", n=done, of=found.documents))
            if not found.unread:
                break
            time.sleep(POLL_SECONDS)
    told = say("en", "cli-indexed", n=found.indexed, of=found.documents, name=name)
    console.print(told, highlight=False)
    for row in _list_documents(gateway, name, "failed"):
        document = CollectionDocument.model_validate(row)
        told = say("en", "cli-search-failed", name=document.name, error=str(document.error))
        console.print(f"  {told}", style="yellow", markup=False)


def _remove(gateway: GatewayClient, args: Namespace) -> int:
    """Delete documents of a collection, or all of it; a person is asked before."""
    where = f"{PATH}/{quote(args.name, safe='')}"
    found = gateway.get(where)
    whole = say("en", "cli-collection-whole", name=args.name, n=found["documents"])
    names = args.documents or [whole]
    if not (args.yes or confirm(say("en", "cli-delete-documents", names=names))):
        return 0
    for document in args.documents:
        gateway.request("DELETE", f"{where}/documents/{quote(document)}")
    if not args.documents:
        gateway.request("DELETE", where)
    print(say("en", "cli-documents-deleted"))
    return 0
