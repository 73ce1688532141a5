"""What a phase handler sees: its context, the gate to activities, timers, human waits."""
