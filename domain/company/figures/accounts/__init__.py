"""A company's amounts by metric and period: as filed, or by the metric's formulas."""
