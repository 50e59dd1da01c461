"""Execution of operators on arrays."""
