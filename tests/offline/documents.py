"""Documents of every kind that a library takes."""

from pathlib import Path

from docx import Document


def pdf(text: str) -> bytes:
    """Return a PDF of one page with one line of text."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Title (Kestrel manual) /Author (Kestrel Works) /CreationDate (D:20240301120000Z) >>",
    ]
    data, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    trailer = b"trailer << /Size %d /Root 1 0 R /Info 6 0 R >>" % (len(objects) + 1)
    return data + head + table + trailer + b"\nstartxref\n%d\n%%%%EOF" % len(data)


HTML = """<html><head><title>Osprey drone</title><meta name="author" content="Bird Weekly">
<meta name="date" content="2024-05-06"></head><body><nav>Home</nav><article><h1>Osprey drone</h1>
<p>The Osprey drone flies for 44 minutes on one charge, longer than any rival we have flown.</p>
<p>Price: $1,450</p></article></body></html>"""


def fill(folder: Path) -> None:
    """Write one document of each kind into a folder."""
    (folder / "heron.md").write_text(
        "# Heron drone\n\n- **Price:** $990\n- Flight time: 31 minutes\n"
    )
    (folder / "reports").mkdir()
    (folder / "reports" / "egret.txt").write_text(
        "Egret drone\nThe Egret costs $700 and weighs 1.2 kg."
    )
    (folder / "osprey.html").write_text(HTML)
    (folder / "kestrel.pdf").write_bytes(pdf("The Kestrel drone flies for 27 minutes."))
    word = Document()
    word.core_properties.title, word.core_properties.author = "Harrier drone", "Field Notes"
    word.add_paragraph("The Harrier drone carries 2.5 kg.")
    word.add_table(rows=1, cols=2).rows[0].cells[0].text = "Payload"
    word.save(str(folder / "harrier.docx"))
    (folder / ".hidden.md").write_text("# Hidden drone")
