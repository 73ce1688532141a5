"""Office documents of XML that a test writes."""

import io
import zipfile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NAMESPACES = " ".join(
    f'xmlns:{name}="{url}"'
    for name, url in {
        "w": W,
        "r": R,
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    }.items()
)
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def zipped(parts: dict[str, bytes | str]) -> bytes:
    """Return a zip file of parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return buffer.getvalue()


def word(body: str, main: str = "word/document.xml", **parts: str) -> bytes:
    """Return a Word document; `parts` are the inside of `styles`, `footnotes` and others by their kind."""
    inside = {"styles": "styles", "numbering": "numbering", "footnotes": "footnotes"}
    inside |= {"endnotes": "endnotes"}
    related = "".join(
        f'<Relationship Id="{kind}" Type="{R}/{kind}" Target="{kind}.xml"/>' for kind in parts
    )
    start = f'<Relationship Id="r" Type="{R}/officeDocument" Target="{main}"/>'
    types = f'<Types xmlns="{_PACKAGE}/content-types"><Override PartName="/{main}" ContentType="{_MAIN}"/></Types>'
    folder, _, name = main.rpartition("/")
    return zipped(
        {
            "[Content_Types].xml": types,
            "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{start}</Relationships>',
            main: f"<w:document {_NAMESPACES}><w:body>{body}</w:body></w:document>",
            f"{folder}/_rels/{name}.rels": (
                f'<Relationships xmlns="{_PACKAGE}/relationships">{related}</Relationships>'
            ),
            **{
                f"{folder}/{kind}.xml": f"<w:{inside[kind]} {_NAMESPACES}>{xml}</w:{inside[kind]}>"
                if kind in inside
                else f"<{xml.partition(' ')[0]} {_NAMESPACES} {xml.partition(' ')[2]}"
                for kind, xml in parts.items()
            },
        }
    )
