"""Reductions and statistics of mx.np."""
