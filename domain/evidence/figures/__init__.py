"""Figures of texts and quotes in a comparable form: numbers, units, scales, dates, arithmetic."""
