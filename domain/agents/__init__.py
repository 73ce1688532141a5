"""What an agent can do: its tools, what it searches, the room that results share."""
