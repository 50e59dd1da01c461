"""joining operators."""
