"""All SQL, and the blob store: one repository per table."""
