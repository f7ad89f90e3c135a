"""The part of DuckDB that is written in C++, imported without the Python package around it.

Importing the whole package takes longer than a small run does, and nothing of the rest is used.
A release of DuckDB that has no such module is imported as the package.
"""

from __future__ import annotations

try:
    import _duckdb as duckdb
except ImportError:
    import duckdb  # type: ignore[no-redef]

__all__ = ["duckdb"]
