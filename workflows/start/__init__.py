"""Resolve a start: overrides, bindings, seeds, inputs, costs. Pure, shared with the gateway."""
