"""The offline model: replies made from the structure and the inputs of one request."""
