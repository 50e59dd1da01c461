"""The two versions of this package: of the interface it offers, and of the software itself."""

# What `mx.__version__` says. Programs compare it to learn which MXNet they run on, and refuse 2.0 and above.
__version__ = "1.9.1"

# The project's own version, and that of the distribution `regluon`.
regluon_version = "0.1.0"
