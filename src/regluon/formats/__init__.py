"""File formats as plain bytes, dicts and NumPy arrays; nothing here knows torch or runs code."""
