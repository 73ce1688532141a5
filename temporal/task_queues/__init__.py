"""Task queues: whose they are, in which order, and which version of the workers polls them."""
