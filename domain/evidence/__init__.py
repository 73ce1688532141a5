"""Claims against the text they quote, by rules alone: no model, no clock, no I/O."""
