"""The tape of recorded operator calls and its backward pass."""
