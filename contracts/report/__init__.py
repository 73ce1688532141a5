"""Briefs, plans, findings, drafts, reports and their patches."""
