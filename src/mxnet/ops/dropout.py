"""dropout operators."""
