"""Functions of one array of mx.np."""
