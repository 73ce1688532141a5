"""Collections of users' own documents, and the index that they are searched by."""
