"""The claims of a report: listed and replaced in reading order, compared by an index, and joined by those that they rest on."""
