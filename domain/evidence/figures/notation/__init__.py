"""How texts write figures: digits, scales, units, currencies and dates."""
