"""The types of columns as Arrow and Spark call them."""

from __future__ import annotations

from typing import Any

from ragstone.engine.duck import Duck, identifier
from ragstone.spark.job import Columns

_SPARK = {
    "string": "string",
    "bool": "boolean",
    "int32": "int",
    "int64": "bigint",
    "double": "double",
    "binary": "binary",
}


def frame_schema(duck: Duck, columns: Columns) -> tuple[str, Any]:
    """Columns with DuckDB's types as a schema of Spark's and as one of Arrow's."""
    nulls = ", ".join(f"null::{kind} as {identifier(name)}" for name, kind in columns)
    (row,) = duck.batches(f"select {nulls}")
    fields = (f"`{field.name}` {_spark_type(field.type)}" for field in row.schema)
    return ", ".join(fields), row.schema


def _spark_type(kind: Any) -> str:
    import pyarrow as pa  # type: ignore[import-untyped]

    if pa.types.is_list(kind):
        return f"array<{_spark_type(kind.value_type)}>"
    if pa.types.is_struct(kind):
        inside = ", ".join(f"`{each.name}`: {_spark_type(each.type)}" for each in kind)
        return f"struct<{inside}>"
    return _SPARK[str(kind)]
