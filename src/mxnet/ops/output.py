"""output operators."""
