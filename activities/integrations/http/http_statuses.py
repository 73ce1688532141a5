"""Whether an HTTP status is worth another try, and when the server wants it."""

import re


def may_pass(status: int) -> bool:
    """Return whether the same request may be answered later."""
    return status >= 500 or status in {408, 409, 425, 429}


def parse_retry_after(value: str) -> float | None:
    """Parse the seconds to wait; None for other formats."""
    return float(value) if re.fullmatch(r"\d{1,5}(\.\d+)?", value.strip()) else None
