"""Commands of `python -m mxnet` that run networks of the public interface."""
