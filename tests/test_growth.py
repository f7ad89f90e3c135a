"""No reader, matcher or parser takes more than n log n, whatever a text is made of.

Every function of these packages that takes texts is found by its annotations, so that a new one is
tried as well: alone, and beside a text of another end.
"""

from __future__ import annotations

import gzip
import importlib
import inspect
import json
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from growth import grows_too_fast
from hostile_pieces import PIECES, text_of
from hypothesis import given
from hypothesis import strategies as st
from long_runs import LONG

import ragstone
from ragstone.cli.check import items
from ragstone.contracts.near_keys import Level, nearest
from ragstone.contracts.packed import unpacked_body
from ragstone.contracts.record import Given, Record
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.retrieval_records import MANIFEST, RETRIEVAL_GOLD
from ragstone.contracts.records.trace_records import TRACE
from ragstone.contracts.sources import find
from ragstone.engine.duck import Duck
from ragstone.errors import RagstoneError
from ragstone.matching.occurrences import occurrences
from ragstone.matching.phrases import phrase_spans
from ragstone.matching.whole_words import whole_words

PACKAGES = ("contracts", "matching", "formats", "index", "engine", "embedders", "serve", "report")
# Words of the program itself and of whoever starts it: not what a file or a request holds.
OURS = {
    *("pattern", "folder", "condition", "column", "arm", "sql", "expected", "characters", "url"),
    *("kind", "language", "package"),
}
NOT_INPUT = {
    "near_keys._is_slip": "one of the two is a field's name",
    "near_keys._edits": "the same, and both are as long within two letters",
    "number_shapes._whole": "the two are signs of the configuration",
    "phrases.weight": "a phrase of gold, which a person writes",
    "access.host_in": "a header holds no character beyond latin-1, and 64 kB at most",
    "html_page.script_text": "opens a template",
    "html_page.page": "opens a template",
    "drawn_pages._drawn": "opens a template",
    "window_spool._name": "a line of our own",
}


Needs = dict[str, str]


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(ragstone.__path__, "ragstone."):
        if found.name.split(".")[1] in PACKAGES:
            yield importlib.import_module(found.name)


def readers_in(module: ModuleType) -> Iterator[tuple[str, Callable[..., object], Needs]]:
    """The functions of a module that take texts and nothing else, and the names of these."""
    for name, function in vars(module).items():
        if getattr(function, "__module__", "") != module.__name__ or not callable(function):
            continue
        if inspect.isclass(function) or f"{module.__name__.split('.')[-1]}.{name}" in NOT_INPUT:
            continue
        needed = [
            each
            for each in inspect.signature(function).parameters.values()
            if each.default is each.empty
            and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        ]
        needs = {each.name: str(each.annotation) for each in needed}
        if needs and {*needs.values()} <= {"str", "bytes"} and not OURS & {*needs}:
            yield name, function, needs


READERS = [module for module in modules() if any(readers_in(module))]


def called(function: Callable[..., object], needs: Needs, piece: str, *, alike: bool) -> Any:
    clear = getattr(function, "cache_clear", lambda: None)

    def work(size: int) -> None:
        clear()
        text = text_of(piece, size)
        values = []
        for place, kind in enumerate(needs.values()):
            value = text[: size if alike or not place else size // 2]
            values.append(value.encode() if kind == "bytes" else value)
        made = function(*values)
        if isinstance(made, Iterator):
            for _ in made:
                pass

    return work


@pytest.fixture
def largest(request: pytest.FixtureRequest) -> int:
    """How long a text is at most: 1 MB in the long runs."""
    return 1 << 20 if request.config.getoption(f"--{LONG}") else 1 << 14


@pytest.mark.parametrize("module", READERS, ids=lambda module: module.__name__[9:])
def test_a_function_of_texts_takes_no_more_than_n_log_n(
    module: ModuleType, largest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    too_fast = [
        f"{name} of {piece!r}: {wrong}"
        for name, function, needs in readers_in(module)
        for piece in PIECES
        for alike in ((True, False) if len(needs) > 1 else (True,))
        if (wrong := grows_too_fast(called(function, needs, piece, alike=alike), largest))
    ]
    assert too_fast == []


EMPTY = gzip.compress(b"", mtime=0)
RECORDS = {"gold": GOLD, "trace": TRACE, "relevant": RETRIEVAL_GOLD, "manifest": MANIFEST}


def one_value(record: Record, text: str) -> str:
    """A line with the text in every field, one that ends in the midst of it, and the text alone."""
    line = json.dumps({field.name: text for field in record.fields})
    return f"{line}\n{line[:-2]}\n{text}\n"


def a_table(record: Record, text: str) -> str:
    names = ",".join(field.name for field in record.fields)
    return f"{names}\n{text}\n"


SHAPES: dict[str, Callable[[Record, str], str]] = {
    "of lines.jsonl": one_value,
    "of an array.json": lambda record, text: f"[{text}",
    "of the text alone.json": lambda record, text: text,
    "of cells.csv": a_table,
    "of cells.tsv": a_table,
}


def files(names: Iterable[str]) -> list[Any]:
    """Each kind of file of one record for every run, and of all records for the long ones."""
    return [
        pytest.param(name, shape, marks=[] if name == "trace" else [pytest.mark.long])
        for name in names
        for shape in SHAPES
    ]


@pytest.mark.parametrize(("record", "shape"), files(RECORDS))
def test_a_file_takes_no_more_than_n_log_n(
    record: str, shape: str, largest: int, tmp_path: Path
) -> None:
    path = tmp_path / f"a file {shape}"
    with Duck(1) as duck:

        def read(size: int) -> None:
            path.write_text(SHAPES[shape](RECORDS[record], text_of(piece, size)), newline="")
            items(duck, find(str(path), record, duck.scratch), RECORDS[record], Given())

        for piece in PIECES[:: 1 if largest == 1 << 20 else 9]:
            assert grows_too_fast(read, largest) == "", piece


# Phrases that a claim of this piece holds nearly everywhere, and where figures go on beyond them.
OVERLAPS = {"a": "a", "11 ": "11 1", "1": "1", "ab": "ba", "é1,": "1,é", "x" * 97 + "1": "1x"}


@pytest.mark.parametrize("piece", OVERLAPS)
@pytest.mark.parametrize("search", [phrase_spans, whole_words])
def test_a_long_phrase_is_searched_for_in_linear_time(piece: str, search: Any) -> None:
    def look(size: int) -> None:
        claim = piece * (size // len(piece))
        begin = claim.find(OVERLAPS[piece])
        half = claim[begin : begin + size // 2]
        for phrase in (half, half[: -len(piece)] + OVERLAPS[piece], half + "!", "!" + half):
            for _ in search(claim, phrase):
                pass

    assert grows_too_fast(look, 1 << 18) == ""


@given(st.text("a1 ", max_size=40), st.text("a1 ", min_size=1, max_size=8))
def test_a_word_is_found_wherever_it_stands(text: str, word: str) -> None:
    places = [at for at in range(len(text)) if text.startswith(word, at)]
    assert list(occurrences(text, word)) == places


def test_a_long_key_is_held_against_no_field() -> None:
    """To tell how far two names of n letters differ takes n x n steps."""

    def look(size: int) -> None:
        level = Level((), {"a" * size: ()}, {}, {})
        nearest.cache_clear()
        assert nearest(level, "a" * (size - 1) + "b") == ""

    assert grows_too_fast(look, 1 << 14) == ""


def test_members_of_a_packed_body_take_no_more_than_n_log_n(largest: int) -> None:
    def unpack(size: int) -> None:
        unpacked_body(EMPTY * (size // len(EMPTY)), "gzip", 1 << 24)

    assert grows_too_fast(unpack, max(largest, 1 << 18)) == ""


def test_work_that_is_quadratic_is_found() -> None:
    def quadratic(size: int) -> None:
        for _ in range(size * size >> 6):
            pass
        raise RagstoneError("and refused")

    assert "an eighth of them" in grows_too_fast(quadratic, 1 << 15)
    assert grows_too_fast(lambda size: sorted(range(size, 0, -1)), 1 << 17) == ""
