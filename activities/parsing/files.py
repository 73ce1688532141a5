"""Files: formats whose readers may be led astray, and so may only say one kind of no."""

from activities.parsing.document import Parsed, Unreadable
from contracts.media_types import PDF

MAX_SECONDS = 20
MAX_MEMORY_BYTES = 1_000_000_000


def read_file(body: bytes, media_type: str) -> Parsed:
    """Return what is in a PDF or Word document.

    Raises:
        Unreadable: whatever is wrong with it; the message repeats nothing of the file.
    """
    name = "PDF" if media_type == PDF else "Word document"
    try:
        return _read(body, media_type)
    except (Unreadable, MemoryError):
        raise
    except RecursionError as error:
        raise Unreadable(f"is a {name} nested too deep to be read") from error
    except Exception as error:
        raise Unreadable(f"is a broken {name}, one too large, or none at all") from error


def _read(body: bytes, media_type: str) -> Parsed:
    if media_type == PDF:
        from activities.parsing.pdf import read_pdf  # either library takes a while to load

        return read_pdf(body)
    from activities.parsing.word import read_word

    return read_word(body)
