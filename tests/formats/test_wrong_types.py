"""Values of the wrong kind, at every place of every format's samples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from long_runs import examples

from ragstone.contracts.sources import find
from ragstone.engine.duck import Duck
from ragstone.errors import InputError
from ragstone.formats.declared_format import Format, Sample
from ragstone.formats.known_formats import every_format
from ragstone.formats.translate import Limits, translate

# So many documents with a wrong value, of all that there could be.
MOST = examples(4, long=120)
WRONG = (None, True, -1.5, 10**18, "x", "", [], {}, [None, {}, "x", 7, []], {"a": [1], "b": None})
SAMPLES = [(format, sample) for format in every_format() for sample in format.samples]


def named(value: object) -> str:
    return f"{value.reads}-{value.name}" if isinstance(value, Format) else ""


def changed(value: Any) -> Iterator[Any]:
    """The value with something else in the place of each part of it, one at a time."""
    yield from WRONG
    if not isinstance(value, dict | list):
        return
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        for other in changed(part):
            copy: Any = dict(value) if isinstance(value, dict) else list(value)
            copy[key] = other
            yield copy
        if isinstance(value, dict):
            yield {name: kept for name, kept in value.items() if name != key}


def texts_with_wrong_values(text: str) -> list[str]:
    """A file of JSON Lines with every change of every line; of a document, a file for each."""
    try:
        return [json.dumps(other) for other in changed(json.loads(text))]
    except ValueError:
        lines = [line for line in text.splitlines() if line.startswith("{")]
    wrong = [json.dumps(other) for line in lines for other in changed(json.loads(line))]
    return ["\n".join(line for line in wrong if line.startswith("{"))]


@pytest.mark.parametrize(("format", "sample"), SAMPLES, ids=named)
def test_wrong_values_are_accounted_for(format: Format, sample: Sample, tmp_path: Path):
    # What is no JSON at all (tables, Parquet) has no types to be wrong.
    found = {name: text for name, text in sample.files.items() if text.lstrip()[:1] in ("{", "[")}
    # A changed name of a system is one more system.
    chosen = next((json.loads(line) for line in sample.out.split("\n") if line), {}).get(
        "system", ""
    )
    for name, text in found.items():
        texts = texts_with_wrong_values(text.removeprefix("\n"))
        for number, wrong in enumerate(texts[:: max(1, len(texts) // MOST)]):
            path = tmp_path / f"{number}-{Path(name).name}"
            path.write_text(wrong, encoding="utf-8")
            must_be_accounted_for(replace(format, system=chosen), path)


def must_be_accounted_for(format: Format, path: Path) -> None:
    """Nothing is missed, and what is refused is refused for what the file is, by its name."""
    with Duck(1) as duck:
        sources = find([path], "input", duck.scratch)
        try:
            said = translate(format, sources, duck.scratch, Limits(1))
        except InputError as error:
            assert str(error).startswith(str(path)), error
        else:
            assert said.came_in == said.used + sum(each.count for each in said.lost)
