"""Capturing the calls that a program makes, so that the native runner makes them without Python."""
