"""Reading, indexing and searching of users' own documents."""
