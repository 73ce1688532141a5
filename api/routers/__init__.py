"""The gateway's paths, one module per noun."""
