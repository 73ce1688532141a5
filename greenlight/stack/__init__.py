"""The local stack: its processes, ports, home and supervisor."""
