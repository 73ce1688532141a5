"""Why a document cannot be read: a code with parameters, and the catalogue of their English words."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract

FormatName = Literal[
    "pdf",
    "word",
    "workbook",
    "slides",
    "ebook",
    "odt",
    "rtf",
    "message",
    "page",
    "table",
    "json",
    "office",
    "zip",
]
FailureCode = Literal[
    "empty",
    "too_large",
    "unopened",
    "not_stored",
    "no_text",
    "no_text_in",
    "no_values",
    "scanned",
    "encrypted",
    "encrypted_by_shop",
    "cut_off",
    "broken",
    "broken_or_complex",
    "nested",
    "part_missing",
    "part_damaged",
    "part_nested",
    "part_not_xml",
    "part_entities",
    "parts_many",
    "part_large",
    "unpacks_large",
    "no_content",
    "tags_many",
    "attributes_many",
    "tags_nested",
    "robot_check",
    "consent",
    "scripts",
    "binary",
    "unknown",
    "picture",
    "sound",
    "video",
    "archive",
    "program",
    "font",
    "font_or_data",
    "save_as",
    "time",
    "memory",
    "input",
    "died",
    "crashed",
    "worker_died",
]

FORMATS: dict[str, str] = {
    "pdf": "PDF",
    "word": "Word document",
    "workbook": "workbook",
    "slides": "presentation",
    "ebook": "e-book",
    "odt": "OpenDocument text",
    "rtf": "rich text",
    "message": "message",
    "page": "page",
    "table": "table",
    "json": "JSON document",
    "office": "Office document",
    "zip": "zip archive",
}
"""English names of formats that are read."""
KINDS: dict[str, str] = {
    "djvu": "a DjVu document",
    "postscript": "a PostScript document",
    "sqlite": "an SQLite database",
    "parquet": "a Parquet table",
    "outlook": "an Outlook message (.msg)",
    "old_word": "an old Word document (.doc)",
    "old_slides": "an old PowerPoint file (.ppt)",
    "old_workbook": "an old workbook (.xls)",
    "old_office": "an old Office file",
    "hangul": "a Hangul document (.hwp)",
    "xlsb": "a binary workbook (.xlsb)",
    "visio": "a Visio drawing",
    "ods": "an OpenDocument spreadsheet (.ods)",
    "odp": "an OpenDocument presentation (.odp)",
    "odg": "an OpenDocument drawing (.odg)",
    "iwork": "an Apple Pages, Numbers or Keynote document",
    "xps": "an XPS document",
}
"""English names of formats that are read once they are saved as another one."""
WORDS: dict[FailureCode, str] = {
    "empty": "is empty",
    "too_large": "is larger than {most} MB",
    "unopened": "cannot be opened: {reason}",
    "not_stored": "was not stored whole: add it again",
    "no_text": "has no readable text",
    "no_text_in": "is {a_format} without text; pictures are not read",
    "no_values": "is a workbook without values that are shown",
    "scanned": "is a PDF without text, probably scanned; pictures are not read",
    "encrypted": "is an encrypted {format}; it opens with a password only",
    "encrypted_by_shop": "is an encrypted {format}; it opens in the shop's own programs only",
    "cut_off": "is a broken {format}: it is cut off or damaged",
    "broken": "is a broken {format}, one too large, or none at all",
    "broken_or_complex": "is a broken {format}, or one too large or too complex to read",
    "nested": "is {a_format} nested too deep to be read",
    "part_missing": "is a broken {format}: its part '{part}' is missing",
    "part_damaged": "is a broken {format}: its part '{part}' is damaged",
    "part_nested": "is a broken {format}: its part '{part}' is nested too deep",
    "part_not_xml": "is a broken {format}: its part '{part}' is no whole XML",
    "part_entities": "is {a_format} whose part '{part}' declares XML entities; it is not read",
    "parts_many": "is {a_format} of more than {most} parts",
    "part_large": "is {a_format} whose part '{part}' unpacks to {size} MB; up to {most} MB are read",
    "unpacks_large": "is {a_format} that unpacks to more than {most} MB",
    "no_content": "is a broken {format}: '{part}' names no content",
    "tags_many": "has too many tags to read",
    "attributes_many": "has a tag with more than {most} attributes",
    "tags_nested": "nests its tags more than {most} deep; it cannot be read",
    "robot_check": "shows a check that its visitor is human in place of its text",
    "consent": "asks for consent to cookies in place of showing its text",
    "scripts": "shows its text only where scripts run",
    "binary": "is a binary file under a text label; it cannot be read",
    "unknown": "is binary data of an unknown kind",
    "picture": "is {a_name} picture; pictures are not read",
    "sound": "is a sound recording ({name})",
    "video": "is a video ({name})",
    "archive": "is {a_name} archive; unpack it, and give the files in it",
    "program": "is a program",
    "font": "is a font",
    "font_or_data": "is a font or a database",
    "save_as": "is {kind}; save it as {suffix}",
    "time": "takes longer than {most} s to read",
    "memory": "takes more than {most} MB of memory to read",
    "input": "takes more than {most} MB of input to read",
    "died": "ended the process that read it, or has too large a text",
    "crashed": "broke the process that read it",
    "worker_died": "ended the worker that read it, several times",
}
"""The English words of each code, as they go on from a document's name."""


class ReadFailure(Contract):
    """Why a document cannot be read; each language has words for its code."""

    code: FailureCode
    params: dict[str, str | int | float] = Field(
        default={}, description="what the words name, by hole; `format` and `kind` are codes too"
    )

    @property
    def text(self) -> str:
        """Its English words."""
        words = {name: _write(name, value) for name, value in self.params.items()}
        words |= {
            f"a_{name}": f"{'an' if words[name][:1] in 'AEIOaeio' else 'a'} {words[name]}"
            for name in ("format", "name")
            if name in words
        }
        return WORDS[self.code].format_map(words)


def _write(name: str, value: str | float) -> str:
    """Return a parameter in English."""
    if not isinstance(value, str):
        return f"{value:,}"
    names: dict[str, dict[str, str]] = {"format": FORMATS, "kind": KINDS}
    return names.get(name, {}).get(value, value)
