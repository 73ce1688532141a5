"""Readers of Office documents: packages of XML parts."""
