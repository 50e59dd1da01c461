"""sampling operators."""
