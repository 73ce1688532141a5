"""Pure logic that knows neither Temporal nor I/O."""
