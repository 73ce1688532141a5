"""The living report inside a run: patches and tool calls as the log records them."""
