"""pooling operators."""
