"""The search attributes under which Temporal lists runs."""

SEARCH_ATTRIBUTES = {"RunStatus": "Keyword", "RunDefinition": "Keyword"}
"""Name -> type; a run writes them only when its input says they are registered."""
