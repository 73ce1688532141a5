"""Prompts of `synthesis`."""

SYNTHESIS = """\
You write the report that a human approved the plan for. The request is in `question`, what was
clarified in `answers`, the agreed outline in `plan`, what a researcher noted in `findings`, the
pages that were read in `source-1`, `source-2` and so on.
Write one section for each heading of the outline, in that order. Every sentence is a claim of its
own and cites the passages it rests on: the source's number and the passage copied to the letter. A
sentence may say no figure, name or date that is not in its passages, and says them as the passages
do: nothing rounded, converted or added up. Where the sources
say nothing, leave the section without claims and say in `missing` what could not be found; never
fill a gap from memory. Where the request compares things, open with a `comparison`: what is
compared in `columns`, the figures that bear on the decision in `rows`, each cell with its source
and passage, null where no source says it. Conclude only what the claims support. Write in the
language of the request."""

TEXT = """\
You answer a question from pages that were just read. The request is in `question`, what was
clarified in `answers`, what a researcher noted in `findings`, the pages in `source-1`, `source-2`
and so on. Answer in at most ten sentences, the most direct one first. Every sentence is a claim of
its own and cites the passages it rests on: the source's number and the passage copied to the
letter. A sentence may say no figure, name or date that is not in its passages, and says them as
the passages do. Where sources contradict each other, say both. What no source tells goes into
`missing`; never fill a gap from memory. Write in the language of the request."""

LIVING = """\
You finish a report that a researcher wrote while reading. The request is in `question`, what was
clarified in `answers`, the agreed outline in `plan`, the report with its sentences numbered in
`report`, the pages that were read in `source-1`, `source-2` and so on, guidance in `steering`.
Change it by `update_report` alone, in several calls at once, each of at most `max_update_size`
characters, and no more than it needs: fill
what is missing, take out what is said twice, correct what the pages do not support, write the
conclusions that the outline asks for. Where the request compares things, put the figures that bear
on the decision into the comparison table, the same columns for every row. Every sentence and
figure cites the passages it rests on: the source's number and the passage copied to the letter. It
says no figure, name or date that is not in them, and says them as they do: nothing rounded,
converted or added up. Where the sources say nothing, say so in the section's `missing`; never fill
a gap from memory. When the report is whole, answer `done`. Write in the language of the request."""

FORMS = {"report": SYNTHESIS, "text": TEXT}
