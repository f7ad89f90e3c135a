"""The files of a folder that is given as an input: those of a known kind, in the order of names."""

from __future__ import annotations

import os
from typing import NoReturn

from ragstone.errors import InputError

_KINDS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
_PACKINGS = (".gz", ".zst")
# So many of the files that are passed over are named.
_NAMED = 5


def files_in(folder: str, what: str) -> tuple[list[str], list[str]]:
    """The files below a folder that are read, and what is passed over; an error if none is read.

    What begins with a dot or an underscore is for other tools, as `_SUCCESS` is, and so is a folder
    of that name with all that is in it.
    """
    read: list[str] = []
    passed: list[str] = []
    for at, folders, names in os.walk(folder, onerror=_cannot_list):
        if "_delta_log" in folders:
            raise InputError(
                f"{what} folder {at} is a Delta table, of which files may be out of date; give "
                "its table to Spark (table:NAME), or write its rows out as Parquet"
            )
        hidden = [name for name in folders if name.startswith((".", "_"))]
        passed += [os.path.join(at, name, "") for name in hidden]  # noqa: PTH118
        folders[:] = [name for name in folders if name not in hidden]
        for name in names:
            path = os.path.join(at, name)  # noqa: PTH118 (as the user spells the folder)
            (read if _is_known(name) else passed).append(path)
    if not read:
        raise InputError(
            f"{what} folder {folder} holds no file of a kind that can be read "
            f"({', '.join(_KINDS)}, also with {' or '.join(_PACKINGS)}){_besides(passed)}"
        )
    return sorted(read), sorted(passed)


def passed_over(folder: str, passed: list[str]) -> str:
    """What is said of the files of a folder that are not read."""
    many = "1 file is" if len(passed) == 1 else f"{len(passed):,} files are"
    return f"{folder}: {many} passed over: {_listed(passed)}"


def _is_known(name: str) -> bool:
    plain = name.lower()
    for packing in _PACKINGS:
        plain = plain.removesuffix(packing)
    return plain.endswith(_KINDS) and not name.startswith((".", "_"))


def _besides(passed: list[str]) -> str:
    return f"; passed over: {_listed(sorted(passed))}" if passed else ""


def _listed(paths: list[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _cannot_list(error: OSError) -> NoReturn:
    raise InputError(f"{error.filename} cannot be read: {error.strerror}")
