"""Bodies of Word documents that tests write."""

from activities.parsing.document import Parsed
from activities.parsing.read_document import read_document
from tests.activities.parsing.office.documents import word


def read(body: str, **parts: str) -> Parsed:
    return read_document(word(body, **parts), "")


def r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(content: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{content if '<' in content else r(content)}</w:p>"


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{text if '<' in text else p(text)}</w:tc>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


STYLES = """
<w:style w:type="character" w:styleId="Hid"><w:name w:val="Hid"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Hid2"><w:name w:val="Hid2"/><w:basedOn w:val="Hid"/></w:style>
<w:style w:type="character" w:styleId="Mark"><w:name w:val="Mark"/><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Old"><w:name w:val="Old"/><w:rPr><w:strike/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Ghost"><w:name w:val="Ghost"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/>
<w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/>
</w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Own head"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Ring"><w:name w:val="Ring"/><w:basedOn w:val="Ring2"/></w:style>
<w:style w:type="paragraph" w:styleId="Ring2"><w:name w:val="Ring2"/><w:basedOn w:val="Ring"/></w:style>
"""


def style(name: str, kind: str = "p") -> str:
    return f'<w:{kind}Style w:val="{name}"/>'
