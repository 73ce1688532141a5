"""Commands of an operator that work on the database itself: keys, budgets, the audit log."""
