"""Clients of model servers: the Messages API and chat completions, and what their refusals mean."""
