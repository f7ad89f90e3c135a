"""The version, in one place: the package metadata, `--version` and the digest read it."""

__version__ = "0.2.0.dev0"
