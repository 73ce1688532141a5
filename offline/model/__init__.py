"""The stand-in model: it extracts from what a request gives, and judges nothing.

`reply.py` chooses the form, `agent.py` the tool calls; `filler.py` fills a schema with the texts of `answer_drafts.py`.
"""
