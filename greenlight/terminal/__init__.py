"""Terminal: the commands that are clients of the gateway."""
