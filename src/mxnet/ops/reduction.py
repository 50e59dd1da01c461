"""reduction operators."""
