"""Passes: what a graph is rewritten to before it becomes a program."""
