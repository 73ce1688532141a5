"""The surroundings of a phase handler: its context, the gate to activities, timers, human waits."""
