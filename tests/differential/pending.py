"""Known mistakes that are being corrected: drawn programs avoid them, test_known.py expects them to fail."""

ALIASES = True  # captured programs take aliases among inputs for granted
STRIDES = True  # kernels in C++ refuse inputs with gaps
UNSEEN_WRITES = True  # prediction keeps what it computed from a parameter that NumPy or DLPack wrote to
HIDES_NAN = True  # fused convolutions with relu turn nan into 0
