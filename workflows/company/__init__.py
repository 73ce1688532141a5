"""What phases know of a listed company: gathered, drawn, weighed."""
