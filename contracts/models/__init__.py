"""One call of a model: request, inputs, result."""
