"""Local stack: processes, ports, home and supervisor."""
