"""convolution operators."""
