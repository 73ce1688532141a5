"""`build`: the wheel of a release, the lock of what it requires, and its bill of materials."""

import asyncio
import hashlib
from argparse import Namespace
from pathlib import Path

from greenlight.argument_errors import find_version
from greenlight.errors import CommandError
from greenlight.packaging.bill_of_materials import render_bill
from greenlight.packaging.components import find_problems, list_components
from greenlight.packaging.wheel import build_wheel, find_epoch, lock_requirements
from greenlight.stack.home import Home
from greenlight.stack.page import build_page


def build(args: Namespace) -> int:
    """Build the page, the wheel, its lock and the bill of materials into a folder.

    Raises:
        CommandError: a licence is unknown or may bind us, or a build failed.
    """
    home = Home.from_environment()
    with home.join():
        asyncio.run(build_page(home, with_checks=True))
    for path in build_release(args.out):
        print(path)
    return 0


def build_release(out: Path) -> list[Path]:
    """Build wheel, lock and bill of materials; return their paths.

    Raises:
        CommandError: a licence is unknown or may bind us, or the wheel was not built.
    """
    packages = list_components()
    if problems := find_problems(packages):
        raise CommandError("\n".join(problems))
    wheel = build_wheel(out)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    bill = out / f"greenlight-{find_version()}.cdx.json"
    text = render_bill(find_version(), packages, digest, find_epoch())
    bill.write_text(text, encoding="utf-8")
    lock = out / f"greenlight-{find_version()}.requirements.txt"
    lock.write_text(lock_requirements(), encoding="ascii")
    return [wheel, lock, bill]
