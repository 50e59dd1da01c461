"""gather operators."""
