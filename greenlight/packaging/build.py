"""`build`: the wheel of a release."""

import asyncio
from argparse import Namespace

from greenlight.packaging.wheel import build_wheel
from greenlight.stack.home import Home
from greenlight.stack.page import build_page


def build(args: Namespace) -> int:
    """Build the page and the wheel into a folder."""
    home = Home.from_environment()
    with home.join():
        asyncio.run(build_page(home, with_checks=True))
    print(build_wheel(args.out))
    return 0
