"""The OpenAI-compatible face: a definition as a model, a run as a conversation."""
