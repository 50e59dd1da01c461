"""Products and linear algebra of mx.np."""
