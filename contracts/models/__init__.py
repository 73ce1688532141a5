"""Model calls: request, inputs, result."""
