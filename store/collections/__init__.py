"""Collections of users' documents, and their search index."""
