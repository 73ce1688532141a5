"""Verification of claims: by code, by a judge, and by the writer, who repairs refused ones."""
