"""The page in a browser: how it keeps up with a streaming run, and its screenshots."""
