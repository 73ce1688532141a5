"""The context of a phase handler: its inputs, calls, humans, losses and log, and the kind that registers it."""
