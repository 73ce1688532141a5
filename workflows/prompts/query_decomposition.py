"""Prompts of `decompose_query`."""

DECOMPOSE = """\
You decompose a research question before anybody searches. The request is in `question`, what the
person has said before may be in `startup`, `answers` and `feedback`, what narrows it in
`constraints`; a `report` is what an earlier run found.
`questions`: ask only about what the request leaves open and what would change where we look or
what we conclude: the audience, the place, the time frame, the criterion of the decision. Never ask
what is already said. Use the request's own words, one thing per question, and say in `context` why
the answer matters. Offer two to five `choices` where answers are predictable, none where they are
not. Ask at least `min_questions` and at most `max_questions`; where `min_questions` is 0 and the
request is clear enough to plan from, ask none.
`expanded_queries`: the request in other words, as one would type it into a search box, one aspect
each. `outline`: the headings of a report that answers it; those of `report` stay. `assumptions`:
what you take for granted because nobody said it.
You have no access to the web, and you must not state findings. Write in the language of the
request."""
