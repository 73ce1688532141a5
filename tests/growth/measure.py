"""Growth of processor time with an input that grows eightfold: so does linear work, and quadratic 64-fold."""

import gc
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TIMES = 8
MAX_RATIO = 22.0
"""Allowed ratio of times for eightfold input: n log n stays below 10, a square reaches 64, and load on the machine changes

neither by more than half.
"""
SECONDS = 60.0
NEGLIGIBLE_SECONDS = 0.0015
"""What takes no longer is not measured again: the clock and the caches weigh more."""
TOKENS = ("\n", " ", "1", "a", "|", "a, ", '"')
MORE_TOKENS = (
    *("[", "&", " \n", "1,", "A ", "a."),
    *(
        "A",
        ",",
        "a ",
        "| ",
        "|)",
        "[1]",
        "1 ",
        "- ",
        "(",
        ")",
        "<",
        ">",
        "-",
        "'",
        "_",
        "*",
        "#",
        "$",
        ".",
        ":",
        "/",
        "\\",
        "\t",
        "é",
        "中",
        "]",
    ),
    *(
        "(a",
        "<a",
        "<!--",
        "&amp;",
        "A.",
        "A, ",
        "1.",
        "1 %",
        "$1",
        "in ",
        "and ",
        "the ",
        "a-",
        "'s",
    ),
    *(
        "http://a",
        "[a](",
        "](",
        "\n#",
        "\n- ",
        "\n|",
        "|-",
        "|\n",
        "a\n",
        "1\n",
        "\\|",
        "``",
        "~~~",
    ),
    *("2024", "2024-01-01 ", "million ", "shares ", "per ", "“a” ", "a b\n\n", "1st ", "Q1 "),
)


class TooSlow(Exception):
    """A measured call did not end in time."""


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise TooSlow within a block that takes more processor time; `re` looks for signals as it scans."""

    def end(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def measure(call: Callable[[], object], times: int = 1) -> float:
    """Return the least processor time that a call takes of this thread."""
    taken = []
    gc.disable()  # a full collection scans all that is imported
    for _ in range(times):
        start = time.thread_time()
        call()
        taken.append(time.thread_time() - start)
    gc.enable()
    return min(taken)


def compare(small: Callable[[], object], large: Callable[[], object], least: float) -> float:
    """Return how many times longer the larger call takes; one that is fast enough is measured once.

    `least` is the time below which the smaller one counts as taking so long.
    """
    ratio = 0.0
    for times in (1, 3):
        ratio = measure(large, times) / max(measure(small, times + 1), least)
        if ratio < MAX_RATIO:
            break
    return ratio


def find_growth(
    run: Callable[[str], object], token: str, chars: int, seconds: float = SECONDS
) -> float | None:
    """Return the ratio of times for eightfold input if it is too large, else None.

    The text ends with a character that breaks a match. Calls that return at once are not measured further. A
    call that takes longer than `seconds` counts as endless.
    """
    small, large = (f"{token * (n * chars // len(token))}\x01" for n in (1, TIMES))
    ratio = 0.0
    try:
        with limit(seconds):
            least = measure(lambda: run(small))
            if least < NEGLIGIBLE_SECONDS:
                return None
            for times in range(1, 4):
                ratio = measure(lambda: run(large), times) / least
                if ratio < MAX_RATIO:
                    return None
                least = max(least, measure(lambda: run(small), times))
    except TooSlow:
        return float("inf")
    return ratio
