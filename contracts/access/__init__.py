"""Access: identities, principals, budgets, the audit log."""
