"""DuckDB's own module, which is all of it that is used here.

The package around it adds relations, types and versions in Python, and importing those takes longer
than a small run does. Where a release has no such module, the package does.
"""

from __future__ import annotations

try:
    import _duckdb as duckdb
except ImportError:
    import duckdb  # type: ignore[no-redef]

__all__ = ["duckdb"]
