"""Other compilers that may run a whole program."""
