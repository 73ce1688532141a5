"""Calls that were paid: the journal, what they cost and how long they took."""
