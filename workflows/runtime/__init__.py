"""The surroundings of a phase handler: its context, the gate to activities, timers, the recorder."""
