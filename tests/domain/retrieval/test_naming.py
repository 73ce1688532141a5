"""Names of documents."""

from domain.retrieval.document_names import name_documents


def test_document_is_named_by_its_file_where_its_title_says_nothing() -> None:
    assert name_documents(
        [
            ("acme.pdf", "UNITED STATES"),
            ("a.pdf", "Annual Report 2023 of Acme"),
            ("b.pdf", "Pumps"),
            ("c.pdf", "pumps"),
            ("d.docx", "Microsoft Word - final_v7.docx"),
            ("e.pdf", ""),
            ("", "Table of Contents"),
        ]
    ) == [
        "acme.pdf",
        "Annual Report 2023 of Acme",
        "b.pdf",
        "c.pdf",
        "d.docx",
        "e.pdf",
        "Table of Contents",
    ]
