"""Messages of humans to a run, and the approvers of its checkpoints."""
