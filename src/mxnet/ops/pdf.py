"""pdf operators."""
