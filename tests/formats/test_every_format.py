"""Every format: what its samples must come to, and that nothing that came in is unaccounted for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragstone.cli.check import check_lines
from ragstone.contracts.sources import find
from ragstone.engine.duck import Duck, listed
from ragstone.formats.declared_format import Format, Sample
from ragstone.formats.known_formats import every_format
from ragstone.formats.translate import Limits, Translated, translate
from ragstone.suites.registry import records

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
FORMATS = every_format()
SAMPLES = [(format, sample) for format in FORMATS for sample in format.samples]


def named(value: object) -> str:
    return f"{value.reads}-{value.name}" if isinstance(value, Format) else ""


def translated(duck: Duck, format: Format, sample: Sample, folder: Path) -> Translated:
    paths = []
    for name, text in sample.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.removeprefix("\n"), encoding="utf-8")
        paths.append(path)
    return translate(format, find(paths, "input", duck.scratch), duck.scratch, Limits(2))


def lines_of(duck: Duck, found: Translated) -> list[dict[str, object]]:
    made = f"read_parquet({listed([str(each.path) for each in found.sources])})"
    own = [name for name in duck.columns(made) if not name.startswith("from_")]
    lines = f"(select {', '.join(own)} from {made}) as made"
    rows = duck.query(f"select json_merge_patch('{{}}', to_json(made)) from {lines}")
    return [json.loads(str(line)) for (line,) in rows]


def test_every_format_has_a_sample():
    assert [named(format) for format in FORMATS if not format.samples] == []


@pytest.mark.parametrize(("format", "sample"), SAMPLES, ids=named)
def test_a_sample_comes_to_what_is_said(format: Format, sample: Sample, tmp_path: Path):
    with Duck(2) as duck:
        found = translated(duck, format, sample, tmp_path)
        expected = [json.loads(line) for line in sample.out.strip().splitlines()]
        assert lines_of(duck, found) == expected
        assert {each.why: each.count for each in found.lost} == sample.lost
        assert {each.why: each.count for each in found.lacks} == sample.lacks
        assert found.came_in == found.used + sum(each.count for each in found.lost)
        record = records()["trace" if format.reads == "traces" else "gold"]
        assert check_lines(duck, found.sources, record, {}, "checked") == len(expected)


@pytest.mark.parametrize("format", FORMATS, ids=named)
def test_every_loss_is_explained_and_shown_by_a_sample(format: Format):
    shown = [{*sample.lost, *sample.lacks} for sample in format.samples]
    assert set().union(*shown) == {*format.lost, *format.lacks}
    assert not {*format.lost} & {*format.lacks}


@pytest.mark.parametrize("format", FORMATS, ids=named)
def test_a_format_and_its_losses_are_on_the_page(format: Format):
    text = PAGE.read_text(encoding="utf-8")
    assert f"`{format.flag}`" in text
    for why in (*format.lost, *format.lacks):
        assert f"`{why}`" in text, why
