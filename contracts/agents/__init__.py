"""Agents' tools, crews, plan steps and workbench."""
