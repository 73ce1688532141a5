"""Authentication and limits of callers: keys, sessions, tokens, rate limits."""
