"""Graphs of operators: what symbols, hybridized networks and saved models are."""
