"""Random numbers of mx.np."""
