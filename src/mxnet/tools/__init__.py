"""Tools for record files: `python -m mxnet.tools.im2rec` and `python -m mxnet.tools.rec2idx`."""
