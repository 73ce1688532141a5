"""What a run takes over from earlier ones: reports, steps and given outputs."""
