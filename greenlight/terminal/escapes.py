"""Text from elsewhere that must not steer a terminal."""

from typing import Any

_CONTROL = dict.fromkeys({*range(0x20), *range(0x7F, 0xA0)} - {ord("\t"), ord("\n")})


def harmless(value: Any) -> Any:
    """Return JSON whose text cannot steer a terminal: no control characters but line breaks."""
    if isinstance(value, str):
        return value.translate(_CONTROL)
    if isinstance(value, list):
        return [harmless(item) for item in value]
    if isinstance(value, dict):
        return {name: harmless(item) for name, item in value.items()}
    return value
