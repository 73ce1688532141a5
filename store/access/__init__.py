"""Access control: API keys, row visibility, and encryption of secrets at rest."""
