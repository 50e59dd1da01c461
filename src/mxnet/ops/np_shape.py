"""Shapes and order of axes in mx.np."""
