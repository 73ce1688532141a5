"""Asynchronous generators that were dropped while suspended: Python closes them at some later time."""

import gc
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from types import AsyncGeneratorType
from typing import Any


@contextmanager
def dropped_generators() -> Iterator[list[str]]:
    """Collect the names of generators that the block's code drops before their end, until the block ends."""
    dropped: list[str] = []
    of_loop = sys.get_asyncgen_hooks().finalizer
    assert of_loop

    def note(generator: AsyncGenerator[Any, Any]) -> None:
        assert isinstance(generator, AsyncGeneratorType)
        dropped.append(generator.__qualname__)
        of_loop(generator)

    sys.set_asyncgen_hooks(finalizer=note)
    try:
        yield dropped
        gc.collect()
    finally:
        sys.set_asyncgen_hooks(finalizer=of_loop)
