"""One module per operator family; each has a list `CASES` made with `tools.oracle.case`."""
