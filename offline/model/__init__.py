"""The stand-in model: it extracts from what a request gives, and judges nothing."""
