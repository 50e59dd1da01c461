"""slicing operators."""
