"""Linear algebra on arrays."""
