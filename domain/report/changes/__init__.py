"""Changes: patches of a report, differences of plans, reports and lines."""
