"""What a quote proves, decided by rules of text alone: no model, no clock, no I/O."""
