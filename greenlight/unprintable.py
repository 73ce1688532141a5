"""Foreign text on a terminal."""


def escape_unprintable(text: str) -> str:
    """Return a text on one line, with control and invisible characters escaped."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
