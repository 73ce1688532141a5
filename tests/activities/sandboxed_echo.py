"""A sandboxed subprocess that answers with the request, or does as it says."""

import os
import time

from activities.confined.request_loop import serve

SLEEPS = {b"hang": 60, b"wait": 1}


def answer(request: bytes) -> bytes:
    time.sleep(SLEEPS.get(request, 0))
    match request:
        case b"pid":
            return str(os.getpid()).encode()
        case b"environment":
            return " ".join(os.environ).encode()
        case b"print":
            print("not a reply", flush=True)  # noqa: T201 - that is the test
            return b"printed"
        case b"work":
            sum(range(10**12))
        case b"die":
            os._exit(1)
        case b"raise":
            raise ValueError
        case b"fill memory":
            return bytes(10**9)
        case b"answer without end":
            return bytes(100_000_000)
        case _:
            pass
    return request


if __name__ == "__main__":
    serve(answer, memory_bytes=500_000_000)
