"""The version of the installed package; it comes from the tag the package was built from."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("cardan")
except PackageNotFoundError:  # a source tree that is not installed
    __version__ = "0+unknown"
