"""The surroundings of all phases: the gate to activities, their options, timers, the recorder, verification."""
