"""The face on one machine: python3 -m greenlight."""
