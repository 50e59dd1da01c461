"""Arithmetic, comparisons and choices of mx.np."""
