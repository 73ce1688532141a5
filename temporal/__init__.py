"""Everything that talks to Temporal's client: connection, payloads, search attributes, runs."""
