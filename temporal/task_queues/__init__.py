"""Task queues: the database each belongs to, task priority, and worker versions."""
