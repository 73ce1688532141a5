"""Reports held against keys, cited pages and a public benchmark's criteria."""
