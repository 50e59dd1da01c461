"""Drives a real MXNet 1.9.1 and records what it does as fixtures for the tests."""
