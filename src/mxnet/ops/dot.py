"""dot operators."""
