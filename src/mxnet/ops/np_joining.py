"""Joining, cutting, inserting and choosing parts in mx.np."""
