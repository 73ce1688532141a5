"""Who asks: everyone is the one default tenant until keys exist."""

from contracts.principal import Principal


async def principal() -> Principal:
    """Return on whose behalf a request is served."""
    return Principal()
