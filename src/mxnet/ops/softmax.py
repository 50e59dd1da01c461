"""softmax operators."""
