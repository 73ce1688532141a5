"""Paid calls: journaled once, priced, capped, streamed, validated."""
