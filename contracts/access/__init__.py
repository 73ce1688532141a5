"""Who may do what, and what they may spend: identities, principals, budgets, the audit log."""
