"""The tree of a page, prepared so that an extractor keeps what a reader sees and nothing else."""
