"""What the terminal draws: run, plan, progress, result."""
