"""Numbers of lists in letters."""

_ROMAN = [
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
]
GREATEST_ROMAN = 3_999


def write_roman(number: int) -> str:
    """Return a number from 1 to 3,999 in small Roman numerals."""
    written = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        written += letters * count
    return written
