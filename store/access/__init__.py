"""Who may see what: keys, visible runs, and secrets encrypted at rest."""
