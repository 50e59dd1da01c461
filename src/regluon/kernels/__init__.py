"""How things are computed: torch's kernels, ours in C++, and which of them is quickest here."""
