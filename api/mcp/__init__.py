"""Greenlight as an MCP server: its tools and resources, over the functions of the HTTP routes."""
