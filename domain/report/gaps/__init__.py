"""Lines on what was not found: listed, looked up, ruled on, merged, and what a report keeps of them."""
