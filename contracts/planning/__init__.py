"""What research is about, and the plan that a human approves."""
