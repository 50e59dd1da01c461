"""ordering operators."""
