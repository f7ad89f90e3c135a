"""What runs in a task before anything of Ragstone does: is it the same Ragstone?

The function travels by its code, and what it is to call by name, so that an executor without
Ragstone, or with another version, says that in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Batches = Iterator[Any]


def task(
    called: str, payload: bytes, versions: tuple[str, str], schema: Any
) -> Callable[[Batches], Batches]:
    """A function for `mapInArrow`: calls a function of this package with the payload.

    `schema` is the Arrow schema of what it gives, with a column `fault` for the sentence.
    """

    def run(batches: Batches) -> Batches:
        from importlib import import_module

        import pyarrow  # type: ignore[import-untyped]

        wanted = "ragstone {} and duckdb {}".format(*versions)
        try:
            import duckdb

            from ragstone._version import __version__

            found = f"ragstone {__version__} and duckdb {duckdb.__version__}"
        except ImportError as error:
            found = f"no {error.name}"
        if found != wanted:
            says = (
                f"the executors have {found}, and this process has {wanted}; install the same "
                "there, and set PYSPARK_PYTHON to the Python that has them"
            )
            row = {name: says if name == "fault" else None for name in schema.names}
            yield pyarrow.RecordBatch.from_pylist([row], schema=schema)
            return
        module, _, name = called.rpartition(".")
        yield from getattr(import_module(module), name)(payload, batches)

    return run
