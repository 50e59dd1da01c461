"""Fuzzing of every reader: damaged files must give a result or an MXNetError, in little time and memory."""
