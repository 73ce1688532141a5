"""Archives of runs: written by the gateway; verified and replayed without a stack or a network."""

from argparse import Namespace
from pathlib import Path

from contracts.notices import Notice
from greenlight.archives.archive_reader import Archive, ArchiveError, open_archive
from greenlight.archives.archive_verification import ArchiveFindings
from greenlight.archives.archive_verification import verify as verify_archive
from greenlight.archives.replay import Replayed
from greenlight.archives.replay import replay as replay_reports
from greenlight.errors import UsageError
from greenlight.exit_codes import FAILED
from greenlight.terminal.display.result import make_folder, refuse_unwritable
from greenlight.terminal.display.widgets import count_noun
from greenlight.terminal.stack_connection import open_gateway
from greenlight.unprintable import escape_unprintable


def archive(args: Namespace) -> int:
    """Write an ended run into a file, which is there once it is whole."""
    part = args.out.with_name(f"{args.out.name}.part")
    try:
        with open_gateway(args) as gateway, refuse_unwritable(args.out):
            with part.open("wb") as file:
                gateway.download(f"/v1/runs/{args.run}/archive", file)
            with open_archive(part) as written:  # a proxy may end a response that was cut off
                if not written.is_sealed:
                    raise ArchiveError.of("archive-unsealed")
            part.replace(args.out)
    finally:
        part.unlink(missing_ok=True)
    print(f"saved in {args.out.absolute()}\nhash  {written.digest}")
    return 0


def verify(args: Namespace) -> int:
    """Check an archive, and say what does not hold."""
    secret = _read_key(args.key) if args.key else ""
    with open_archive(args.file) as opened:
        found = verify_archive(opened, args.expect, secret)
        _print_contents(opened, found, is_signature_checked=bool(secret))
    for finding in found.findings:
        print(f"✗ {escape_unprintable(finding.text)}")
    if hidden := found.count_hidden():
        print(f"✗ and {count_noun(hidden, 'finding')} more of these kinds")
    if found.findings:
        return FAILED
    print("✓ everything holds")
    return 0


def _print_contents(
    archive: Archive, found: ArchiveFindings, *, is_signature_checked: bool
) -> None:
    """Print what the archive contains, how much of it was checked, and what cannot be checked."""
    counts, manifest = found.counts, archive.manifest
    print(f"{manifest.run_id}  {manifest.status}\nhash  {archive.digest}")
    checked = [("entries", "file"), ("events", "event"), ("calls", "call"), ("quotes", "quote")]
    nouns = [count_noun(counts[name], noun) for name, noun in [*checked, ("sums", "sum")]]
    print(f"read  {', '.join(nouns)}, {count_noun(counts['decisions'], 'decision')}")
    if manifest.missing:
        print(
            f"lacks {count_noun(len(manifest.missing), 'page')} or exhibits that were removed;"
            f" {count_noun(counts['unchecked'], 'quote')} cannot be looked up"
        )
    if archive.signature is None:
        print("not signed: its hash does not say who wrote it")
    elif not is_signature_checked:
        print("signed; with --key FILE the signature is checked too")


def replay(args: Namespace) -> int:
    """Make the report of an archive again, and say whether it is the archived one."""
    if args.out is not None:
        make_folder(args.out)
    with open_archive(args.file) as opened:
        made = [*replay_reports(opened)]
    for report in made:
        print(_describe(report))
        if args.out is not None:
            with refuse_unwritable(args.out):
                (args.out / report.name).write_bytes(report.content)
    return 0 if all(report.is_same for report in made) else FAILED


def _describe(report: Replayed) -> str:
    if report.is_same:
        return f"✓ {report.name}: the same, {count_noun(len(report.content), 'byte')}"
    line, archived, own = report.find_difference()
    return f"✗ {report.name}: differs in line {line}\n  archived  {archived!r}\n  replayed  {own!r}"


def _read_key(path: Path) -> str:
    """Return the key in a file.

    Raises:
        UsageError: The file cannot be read, or is empty: no signature would be checked.
    """
    try:
        key = path.read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise UsageError.of("cli-unreadable", path=str(path), reason=str(error)) from error
    if not key:
        raise UsageError.of("cli-unreadable", path=str(path), reason=Notice.of("failure.empty"))
    return key
