"""Record files and the worker processes that load batches."""
