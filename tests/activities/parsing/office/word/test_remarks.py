"""Comments, headers, footers and watermarks of a Word document say what they are."""

import docx
from docx.enum.section import WD_SECTION

from tests.activities.parsing.office.documents import word
from tests.activities.parsing.test_comments_headers_footers import lines, read


def test_word_comments_name_author_and_words_and_follow_their_paragraph_or_table() -> None:
    made = docx.Document()
    runs = made.add_paragraph("Churn was 11.4 %.").runs
    made.add_comment(runs, text="Wrong: it was 14.2 %.", author="Ann Otieno")
    cell = made.add_table(rows=1, cols=2).rows[0].cells[1].paragraphs[0]
    cell.add_run("12")
    made.add_comment(cell.runs, text="Or 13?", author="Ben Kim")
    made.add_paragraph("The end.")
    assert lines(made) == [
        *(
            "Churn was 11.4 %.",
            "[Comment by Ann Otieno on “Churn was 11.4 %.”] Wrong: it was 14.2 %.",
        ),
        *("| | 12 |", "[Comment by Ben Kim on “12”] Or 13?", "The end."),
    ]


def test_a_resolved_word_comment_says_so_and_is_read_as_its_changes_leave_it() -> None:
    mark = '<w:r><w:commentReference w:id="4"/></w:r>'
    w14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
    w15 = 'xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"'
    comment = (
        f'w:comments {w14}><w:comment w:id="4" w:author="Ann"><w:p w14:paraId="A1">'
        "<w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p></w:comment></w:comments>"
    )
    states = f'w15:commentsEx {w15}><w15:commentEx w15:paraId="A1" w15:done="1"/></w15:commentsEx>'
    body = f"<w:p><w:r><w:t>Churn fell.</w:t></w:r>{mark}</w:p>"
    made = word(body, comments=comment, commentsExtended=states)
    assert lines(made) == ["Churn fell.", "[Resolved comment by Ann] new"]


def test_headers_footers_and_watermarks_of_word_stand_around_its_text() -> None:
    made = docx.Document()
    made.add_paragraph("Churn was 11.4 %.")
    made.sections[0].header.paragraphs[0].text = "DRAFT\tNOT APPROVED"
    made.sections[0].footer.paragraphs[0].text = "7"
    made.sections[0].first_page_header.paragraphs[0].text = "never shown"
    made.sections[0].different_first_page_header_footer = False
    made.add_section(WD_SECTION.NEW_PAGE).footer.is_linked_to_previous = False
    made.sections[1].footer.paragraphs[0].text = "Confidential"
    page = read(made)
    assert page.text.split("\n\n") == [
        *("[Header] DRAFT NOT APPROVED", "Churn was 11.4 %.", "[Footer] Confidential")
    ]
    assert page.title == "Churn was 11.4 %."
    fields = '<w:fldSimple w:instr=" PAGE "><w:r><w:t>Page 3</w:t></w:r></w:fldSimple>'
    head = f'w:hdr ><w:p><w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>{fields}</w:p></w:hdr>'
    section = '<w:sectPr><w:headerReference w:type="default" r:id="header"/></w:sectPr>'
    drawn = word(f"<w:p><w:r><w:t>Text.</w:t></w:r></w:p>{section}", header=head)
    assert lines(drawn) == ["[Watermark] DRAFT", "Text."]


def test_text_boxes_in_headers_and_comments_of_word_are_read_once() -> None:
    text = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    drawn = f"<w:txbxContent>{text.format('APPROVED')}{text.format('by Ann')}</w:txbxContent>"
    box = (
        "<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx>"
        f"{drawn}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{drawn}</v:textbox></w:pict>"
        "</mc:Fallback></mc:AlternateContent></w:r>"
    )
    around = f"<w:p><w:r><w:t>DRAFT </w:t></w:r>{box}<w:r><w:t>of May</w:t></w:r></w:p>"
    comment = f'<w:comment w:id="1" w:author="Ann">{around}</w:comment>'
    section = '<w:sectPr><w:headerReference w:type="default" r:id="header"/></w:sectPr>'
    made = word(
        f'<w:p><w:r><w:t>Churn fell.</w:t><w:commentReference w:id="1"/></w:r></w:p>{section}',
        header=f"w:hdr >{around}</w:hdr>",
        comments=f"w:comments >{comment}</w:comments>",
    )
    assert lines(made) == [
        *("[Header] DRAFT of May", "[Header] APPROVED", "[Header] by Ann", "Churn fell."),
        "[Comment by Ann] DRAFT of May APPROVED by Ann",
    ]


def test_title_of_word_is_without_the_text_box_in_it() -> None:
    box = "<w:r><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>DRAFT</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></w:r>"
    about = '<w:pPr><w:pStyle w:val="T"/></w:pPr>'
    styles = '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>'
    made = word(f"<w:p>{about}{box}<w:r><w:t>Fleet</w:t></w:r></w:p>", styles=styles)
    assert read(made).title == "Fleet"


def test_a_comment_that_is_referred_to_again_is_read_once_and_even_headers_need_their_switch() -> (
    None
):
    mark = '<w:r><w:commentReference w:id="1"/></w:r>'
    begin, end = '<w:commentRangeStart w:id="1"/>', '<w:commentRangeEnd w:id="1"/>'
    text = "<w:r><w:t>{}</w:t></w:r>"
    fallback = (
        f"<w:p><mc:AlternateContent><mc:Choice>{mark}{text.format('It fell.')}</mc:Choice>"
        f"<mc:Fallback>{mark}</mc:Fallback></mc:AlternateContent></w:p>"
    )
    body = (
        f"<w:p>{text.format('In 2024 ')}{begin}{text.format('churn')}{end}{text.format(' fell.')}{mark}{mark}</w:p>"
        f'{fallback}<w:sectPr><w:headerReference w:type="even" r:id="header"/></w:sectPr>'
    )
    comment = f'<w:comment w:id="1" w:author="Ann"><w:p>{text.format("It rose.")}</w:p></w:comment>'
    for switch, shown in (("<w:evenAndOddHeaders/>", ["[Header] DRAFT"]), ("<w:x/>", [])):
        made = word(
            body,
            header=f"w:hdr ><w:p>{text.format('DRAFT')}</w:p></w:hdr>",
            comments=f"w:comments >{comment}</w:comments>",
            settings=f"w:settings >{switch}</w:settings>",
        )
        assert lines(made) == [
            *(*shown, "In 2024 churn fell."),
            *("[Comment by Ann on “churn”] It rose.", "It fell."),
        ]
