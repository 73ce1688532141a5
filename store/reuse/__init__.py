"""What a later run may take over: outputs, similar questions, startups."""
