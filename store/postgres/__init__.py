"""PostgreSQL connections, encoding, migrations and notifications."""
