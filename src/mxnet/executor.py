"""Executors under their public path; they live with the symbols."""

