#!/usr/bin/env python3
"""Writes src/ragstone/api.pyi, the types of the Python calls, from the declarations of the suites.

    api_stub.py            (writes the file)
    api_stub.py --check    (exits 1 if the file is not what the declarations say)

The calls themselves are made from the same declarations when they are asked for; a type checker
and an editor cannot run those, and read this file instead.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from ragstone.formats.known_formats import own_formats_from_table
from ragstone.suites.declaration import AnySuite
from ragstone.suites.judged_scores.judge_settings import judges_from_table
from ragstone.suites.option_fields import Declared
from ragstone.suites.registry import suites
from ragstone.suites.settings_tables import (
    gates_from_table,
    mapping_from_table,
    margins_from_table,
    rules_from_table,
    slices_from_table,
)
from ragstone.suites.waivers import waivers_from_table

STUB = Path(__file__).resolve().parent.parent / "src" / "ragstone" / "api.pyi"

HEAD = """\
# Written by scripts/api_stub.py from the declarations of the suites: change those.
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ragstone.contracts.sources import Input
from ragstone.report.model import Report
from ragstone.suites.declaration import AnySuite
from ragstone.suites.gate_plan import Planned
from ragstone.suites.options import Options
from ragstone.targets.session import Summary

"""
TYPES: Mapping[object, str] = {
    gates_from_table: "Mapping[str, str | float] | None",
    margins_from_table: "Mapping[str, str | float] | None",
    mapping_from_table: "Mapping[str, str] | None",
    slices_from_table: "Sequence[tuple[Mapping[str, Any], Mapping[str, str | float]]]",
    rules_from_table: "Sequence[tuple[str, str]]",
    own_formats_from_table: "Mapping[str, Mapping[str, Any]] | None",
    waivers_from_table: "Sequence[Mapping[str, Any]] | None",
    judges_from_table: "Mapping[str, Mapping[str, Any]] | None",
}
REST = """
def call(suite: AnySuite) -> Callable[..., Report]: ...
def judged(
    suite: AnySuite,
    inputs: Mapping[str, Any],
    options: Options,
    threads: int | None = ...,
    *,
    part: bool = ...,
    session: Any = ...,
) -> Report: ...
def options_given(suite: AnySuite, given: Mapping[str, Any]) -> Options: ...
def planned(config: str | Path, options: Mapping[str, Any]) -> list[Planned]: ...
def gate(
    config: str | Path = ...,
    *,
    fail_fast: bool = ...,
    threads: int | None = ...,
    **options: Any,
) -> Report: ...
def compare(
    a: Report | Input,
    b: Report | Input,
    *,
    suite: str = ...,
    threads: int | None = ...,
    **given: Any,
) -> Report: ...
def run(
    target: str, gold: str | Path, output: str | Path | None = ..., **more: Any
) -> Summary: ...

score = answers
"""


def stub() -> str:
    """The whole file."""
    return HEAD + "\n".join(function(suite) for suite in suites()) + REST


def function(suite: AnySuite) -> str:
    """One call: the suite's inputs, then its options, each explained in the docstring."""
    inputs = sorted(suite.inputs, key=lambda each: not each.required)
    lines = [f"def {suite.name}("]
    for each in inputs:
        kind = "Input | Mapping[str, Input]" if each.arms and each.many else "Input"
        kind = "Sequence[Input] | Mapping[str, Input]" if each.apart else kind
        lines.append(f"    {each.name}: {kind}{'' if each.required else ' | None = ...'},")
    lines.append("    *,")
    lines += [f"    {each.name}: {type_of(each)} = ...," for each in suite.own_options]
    lines += [
        "    threads: int | None = ...,",
        ") -> Report:",
        f'    """Judges with {suite.name}.',
        "",
    ]
    lines += [f"    {each.name}: {each.says}" for each in inputs]
    lines += [f"    {each.name}: {each.option.says}" for each in suite.own_options]
    return "\n".join((*lines, '    """', ""))


def type_of(each: Declared) -> str:
    if each.option.table in TYPES:
        return TYPES[each.option.table]
    if each.listed:
        return "str | Sequence[str]"
    if each.name == "engine":
        # A session of Spark, of which there are two unrelated types.
        return "Any"
    if each.choices:
        listed = ", ".join(f'"{choice}"' for choice in each.choices)
        return f"Literal[{listed}]"
    return each.kind.__name__ + (" | None" if each.optional else "")


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(0 if STUB.read_text(encoding="utf-8") == stub() else 1)
    STUB.write_text(stub(), encoding="utf-8")
