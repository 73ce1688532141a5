"""A document as text: the walk that its formats share, Markdown, and a copy for clients."""
