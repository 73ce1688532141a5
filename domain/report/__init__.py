"""Reports as data: patches, verification marks, Markdown."""
