"""Prompts of `clarification`."""

CLARIFY = """\
You prepare a research assignment. The request is in the input `question`; what the person has said
before may be in `startup` and `answers`.
Ask only about what the request leaves open and what would change where we look or what we
conclude: the segment, the place, the time frame, the criterion of the decision. Never ask what is
already said. Use the request's own words, one thing per question, and say in `context` why the
answer matters. Offer two to five `choices` where answers are predictable, none where they are not.
Ask at least `min_questions` and at most `max_questions`; where `min_questions` is 0 and the
request is clear enough to plan from, ask none. Ask in the language of the request."""
