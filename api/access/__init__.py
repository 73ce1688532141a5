"""Who calls the gateway, and how much: keys, sessions, tokens, limits."""
