"""Programs to run from the command line: `python -m mxnet.tools.im2rec`."""
