"""The English catalogue: notices, and what a report says on its own account."""

_WORDS = """
a and are at be by can do does for from has have how is it its much of on or our should
than that the their there this to we were what when where which who why with would you
your
"""
FUNCTION_WORDS = frozenset(_WORDS.split())
"""Words that show a text to be English."""

_NOTICES = {
    "run-unfinished": "This is a draft: the run has not ended yet ({status}).",
    "run-failed": "This run failed: the report is not finished.",
    "run-rejected": "This run was rejected before its end: the report is not finished.",
    "run-cancelled": "This run was cancelled before its end: the report is not finished.",
    "run-partial": "This run is partial: a part of the work is missing.",
    "rejection": "{by} rejected it: “{text}”",
    "rejection-unnamed": "The reason given: “{text}”",
    "phase-failed": "{phase} failed: {reason}",
    "phase-partial": "{phase} is partial: {reason} | {phase} are partial: {reason}",
    "phase-incomplete": "{phase} is partial: it lacks a result of {without}."
    " | {phase} are partial: they lack a result of {without}.",
    "phase-skipped": "{phase} was not done: {reason} | {phase} were not done: {reason}",
    "phase-blocked": "{phase} was not done: it needs the result of {without}."
    " | {phase} were not done: they need the result of {without}.",
    "phase-unchecked": "{phase} went on without a check: {reason}"
    " | {phase} went on without checks: {reason}",
    "searches-unmade": "{phase}: of the plan’s {of} searches, one was not made: {names}"
    " | {phase}: of the plan’s {of} searches, {n} were not made: {names}",
    "report-insufficient": "The report did not pass its validation: {reason}.",
    "budget-ended": "{phase} ended early: the run’s budget was used up.",
    "budget-ended-reading": "{phase} ended early for money, after {n} page: the run’s budget was used up."
    " | {phase} ended early for money, after {n} pages: the run’s budget was used up.",
    "time-ended": "{phase} ended early: its time was used up.",
    "time-ended-reading": "{phase} ended early for time, after {n} page: its time was used up."
    " | {phase} ended early for time, after {n} pages: its time was used up.",
    "steps-undone": "Of the plan, one step was not done: {steps}. | Of the plan, {n} steps were not done: {steps}.",
    "no-report": "This run wrote no report: what its phases gave is shown instead.",
    "no-result": "This run ended before anything of a report was written.",
    "collections-reading": "{done} of {n} documents of your collections are read.",
    "collection-unread": "{unread} of {n} documents of “{collection}” are not indexed yet: no search found them.",
    "collection-gone": "The collection “{collection}” was deleted: no search found its documents.",
    "documents-failed": "A document of “{collection}” cannot be read, and no search found it: {names}."
    " | {n} documents of “{collection}” cannot be read, and no search found them: {names}.",
    "files-unopened": "One file that you gave was not opened, and the report quotes nothing of it: {names}"
    " | {n} of the {of} files that you gave were not opened, and the report quotes nothing of them: {names}",
    "unread-pages-without-text": "{name}: {n} page[ of {of}] is an image without text[: {names}]"
    " | {name}: {n}[ of {of}] pages are images without text[: {names}]",
    "unread-pages-cut": "{name}: {n} page[ of {of}] was not read, as the document is too long[: {names}]"
    " | {name}: {n}[ of {of}] pages were not read, as the document is too long[: {names}]",
    "unread-text-cut": "{name}: {n} character[ of {of}] was not read, as the text is too long"
    " | {name}: {n}[ of {of}] characters were not read, as the text is too long",
    "unread-images": "{name}: {n} image[ of {of}] was not read[: {names}]"
    " | {name}: {n}[ of {of}] images were not read[: {names}]",
    "unread-slides-hidden": "{name}: {n} slide[ of {of}] is hidden and was not read[: {names}]"
    " | {name}: {n}[ of {of}] slides are hidden and were not read[: {names}]",
    "unread-sheets-hidden": "{name}: {n} sheet[ of {of}] is hidden and was not read[: {names}]"
    " | {name}: {n}[ of {of}] sheets are hidden and were not read[: {names}]",
    "unread-rows-hidden": "{name}: {n} row[ of {of}] is hidden and was not read[: {names}]"
    " | {name}: {n}[ of {of}] rows are hidden and were not read[: {names}]",
    "unread-columns-hidden": "{name}: {n} column[ of {of}] is hidden and was not read[: {names}]"
    " | {name}: {n}[ of {of}] columns are hidden and were not read[: {names}]",
    "unread-sheets-cut": "{name}: {n} sheet[ of {of}] was not read[: {names}]"
    " | {name}: {n}[ of {of}] sheets were not read[: {names}]",
    "unread-rows-cut": "{name}: {n} row[ of {of}] was not read[: {names}]"
    " | {name}: {n}[ of {of}] rows were not read[: {names}]",
    "unread-formulas-without-value": "{name}: {n} formula[ of {of}] has no stored value[: {names}]"
    " | {name}: {n}[ of {of}] formulas have no stored value[: {names}]",
    "unread-attachments": "{name}: {n} attachment[ of {of}] was not read[: {names}]"
    " | {name}: {n}[ of {of}] attachments were not read[: {names}]",
    "unread-parts-encrypted": "{name}: {n} part[ of {of}] is encrypted and was not read[: {names}]"
    " | {name}: {n}[ of {of}] parts are encrypted and were not read[: {names}]",
    "unread-parts-broken": "{name}: {n} part[ of {of}] is damaged and was not read[: {names}]"
    " | {name}: {n}[ of {of}] parts are damaged and were not read[: {names}]",
    "unread-characters-broken": "{name}: {n} character[ of {of}] could not be decoded"
    " | {name}: {n}[ of {of}] characters could not be decoded",
    "unread-more": "{n} more document was read in part | {n} more documents were read in part",
    "warning": "{text}",
}

_REPORT = {
    "question": "Question",
    "answer": "Answer",
    "result": "Result",
    "searched-only": "The agents searched {scope}, not the web: what no source tells here may stand"
    " elsewhere.",
    "pages-cut": "pages were cut to fit the context window of {model}, {tokens} tokens",
    "not-researched": "What the research did not find",
    "in-short": "In short",
    "free": "free",
    "no-model": "offline stand-in, no model",
    "sources-read": "{n} source read | {n} sources read",
    "offline-pages": "No model was called: this report was put together by Greenlight's offline stand-in, by"
    " rule, from the pages listed below.",
    "offline-no-page": "No model was called: this report was put together by Greenlight's offline stand-in,"
    " by rule, from no page.",
    "not-written": "Nothing is written here yet.",
    "would-change": "What would change the conclusion",
    "exhibits": "Tables and charts",
    "exhibits-unchecked": "What an agent put into tables and charts of its own is its account too: nothing"
    " checked it.",
    "rows-shown": "The first {n} row of {of} | The first {n} rows of {of}",
    "assumed": "What was assumed",
    "caveats": "What to bear in mind",
    "not-found": "Not found",
    "not-found-below": "What was not found is listed under “Not found”.",
    "unanswered": "Not answered: what was written on this did not hold",
    "gaps-unchecked": "Nobody checked these lines against the pages that were read.",
    "mark-gap_unchecked": "not checked",
    "mark-gap_partly": "told in part",
    "no-evidence": "No evidence was found for this section.",
    "no-search": "No search was made.",
    "searches-failed": "Searches that failed ({error}): {queries}.",
    "searches-empty": "Found nothing: {queries}.",
    "searches-near": "Searched: {queries}.",
    "searches-other": "One search was made, none in these words."
    " | {n} searches were made, none in these words.",
    "found-unused": "Told by a page, and not used above",
    "evidence": "Evidence",
    "draft": "This is a draft, as far as the run has come. Each claim was found in what it cites.",
    "draft-empty": "This is a draft, as far as the run has come. It makes no claim.",
    "accounts": "What is set off under a heading is an agent's own account of its work: nothing checked it.",
    "no-claims": "No claim is made in this report.",
    "claims-found": "The one claim was found in what it cites."
    " | Of {n} claims, each was found in the sources it cites.",
    "claims-marked": "The one claim is marked: its sources show it in part, or not."
    " | Of {n} claims, {bad} ({share}) are marked: their sources show them in part, or not.",
    "judged-none": "Nobody judged whether the quotes say so.",
    "judged-all": "A second reader judged what words and figures alone do not settle.",
    "judged-some": "A second reader judged what words and figures alone do not settle; {left} ({share}) were"
    " left unjudged.",
    "mark-judged": "judgement",
    "mark-computed": "computed",
    "mark-assumed": "computed from assumptions",
    "mark-partly": "partly shown",
    "mark-not_shown": "not shown",
    "mark-contradicted": "contradicted",
    "mark-not_judged": "not judged",
    "basis": "Judgement from",
    "source": "source {n}",
    "bears-on": "on “{place}”",
    "page": "p. {n}",
    "quoted": "“{text}”",
    "sources": "Sources",
    "also-read": "Also read",
    "no-page-cited": "No page is cited.",
}

_DOUBTS = {
    "doubt-uncited": "no source is cited",
    "doubt-source-unknown": "source {source} does not exist",
    "doubt-quote-missing": "source {source} does not say “{quote}”",
    "doubt-quote-near": "source {source} does not say “{quote}”; nearest to it is “{near}”",
    "doubt-base-unnamed": "it rests on `{base}`, which names no sentence",
    "doubt-base-shared": "it rests on `{base}`, which names several sentences",
    "doubt-base-fell": "it rests on a sentence that did not hold",
    "doubt-too-long": "the claim is too long to check",
    "doubt-too-costly": "{error}",
    "doubt-figure-missing": "{shown} neither stands in the quotes that were found nor follows from them",
    "doubt-figure-differs": "{shown} is {quoted} in the quotes",
    "doubt-figure-misread": "{shown} is {quoted} in the quotes",
    "doubt-year-missing": "the year {shown} is neither in the quotes nor in what stands above them",
    "doubt-date-missing": "the date {shown} is neither in the quotes nor around them",
    "doubt-working-wrong": "{error}",
    "doubt-judged": "{text}",
    "doubt-judged-silently": "no reason given",
    "doubt-unjudged": "{text}",
    "doubt-judge-silent": "the judge passed it over",
    "doubt-judge-failed": "not judged: {error}",
    "doubt-taken-out": "a human took this out of the report: it stays out",
}
"""Why a claim does not hold, or was not judged: writers, judges and readers see these words."""

WORDS = {**_NOTICES, **_REPORT, **_DOUBTS}
"""The English words of each code."""
