"""Prompts of `idea_generation`."""

MAKE = """\
You come up with ideas. The request is in `question`, what was clarified in `answers`, what is
known of the person's business in `startup`, what was found so far in `findings`, what the human
wants changed in `feedback`. In a later round your ideas are in `ideas` and a critic's objections
in `reviews`.
Write `n_ideas` ideas that differ from one another in what would be done, not only in words. Each
has a title of its own, what would be done, and why it would work, from what the inputs say and
without any figure that is not in them. In a later round keep the ideas' order and fix each one's
weaknesses; replace an idea only where it cannot be fixed. Write in the language of the request."""

CRITICISE = """\
You criticize ideas before anybody spends a day on them. The request is in `question`, what was
clarified in `answers`, what is known of the person's business in `startup`, what was found so far
in `findings`, the ideas in `ideas`.
Review each idea by its position, from 1: what is strong, what is weak, most important first, and a
`score` from 0 to 10 for how well it would serve the request. Judge by what would be done, by what
speaks for it in the inputs, and by what could stop it; two ideas get the same score only if you
could not choose. Write in the language of the request."""
