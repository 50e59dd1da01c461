"""`python -m mxnet migrate PATH`: what a program uses of MXNet, and what of it is here. It reads, and runs nothing.

In the order that data passes: `sources` finds files and cells, `bindings` and `reading` turn them into names and
places, `resolving`, `refusals` and `states` look the names up in the installed package, `report` counts, and `text`,
`html` and `report.as_json` show it.
"""
