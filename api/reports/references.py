"""Writes the sources of a report for reference managers: BibTeX, RIS and CSL-JSON."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from domain.sources.bibliography import BibliographyEntry, Day

ReferenceFormat = Literal["bib", "ris", "csl"]
REFERENCE_TYPES: dict[ReferenceFormat, str] = {
    "bib": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "csl": "application/vnd.citationstyles.csl+json",
}
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\lbrace{}",  # BibTeX counts `\{` as a brace that is open
    "}": r"\rbrace{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}
_LATEX_SIGN = re.compile(r"[\\{}~^&%$#_]|(?<=-)-|(?<=')'|(?<=[`?!])`|(?<=<)<|(?<=>)>|(?<=,),")
"""LaTeX syntax, and the second character of each ligature."""


def write_references(format: ReferenceFormat, entries: Iterable[BibliographyEntry]) -> str:
    """Write bibliography entries in a format, omitting unknown fields."""
    if format == "csl":
        return json.dumps([_list_csl(entry) for entry in entries], ensure_ascii=False, indent=2)
    if format == "ris":
        return "".join(f"{line}\r\n" for entry in entries for line in _list_ris(entry))
    return "\n".join(map(_write_bibtex, entries))


def _write_bibtex(entry: BibliographyEntry) -> str:
    fields = {
        "title": f"{{{_escape_latex(entry.title)}}}",
        "author": " and ".join(f"{{{_escape_latex(name)}}}" for name in entry.authors),
        "organization": entry.publisher and f"{{{_escape_latex(entry.publisher)}}}",
        "date": _write_day(entry.issued),
        "url": entry.url,
        "urldate": entry.url and _write_day(entry.accessed),
    }
    lines = [f"  {name} = {{{value}}},\n" for name, value in fields.items() if value]
    return f"@{'online' if entry.url else 'misc'}{{{entry.key},\n{''.join(lines)}}}\n"


def _escape_latex(text: str) -> str:
    return _LATEX_SIGN.sub(lambda sign: _LATEX.get(sign[0], f"{{}}{sign[0]}"), text)


def _list_ris(entry: BibliographyEntry) -> Iterator[str]:
    """Yield the lines of an entry, each a tag with its value."""
    yield f"TY  - {'ELEC' if entry.url else 'GEN'}"
    yield f"ID  - {entry.key}"
    yield from (f"AU  - {name}" for name in entry.authors)
    values = {
        "TI": entry.title,
        "T2": entry.publisher,
        "PY": _write_day(entry.issued[:1]),
        "DA": _write_day(entry.issued, "/"),
        "UR": entry.url,
        "Y2": entry.url and _write_day(entry.accessed, "/"),
    }
    yield from (f"{tag}  - {value}" for tag, value in values.items() if value)
    yield "ER  - "


def _list_csl(entry: BibliographyEntry) -> dict[str, Any]:
    fields = {
        "id": entry.key,
        "type": "webpage" if entry.url else "document",
        "title": entry.title,
        "author": [{"literal": name} for name in entry.authors],
        "container-title": entry.publisher,
        "issued": entry.issued and {"date-parts": [list(entry.issued)]},
        "URL": entry.url,
        "accessed": entry.url and entry.accessed and {"date-parts": [list(entry.accessed)]},
    }
    return {name: value for name, value in fields.items() if value}


def _write_day(day: Day, between: str = "-") -> str:
    return between.join(f"{part:0{4 if nth == 0 else 2}}" for nth, part in enumerate(day))
