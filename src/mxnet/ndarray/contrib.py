"""Contributed operators on arrays."""
