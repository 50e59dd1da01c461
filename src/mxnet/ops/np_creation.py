"""Arrays that mx.np makes from numbers."""
