"""Findings, drafts, reports as data and as documents, and their patches."""
