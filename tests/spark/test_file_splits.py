"""Splits of a file have all of its lines, each once, wherever their borders fall."""

from __future__ import annotations

import pickle
from pathlib import Path

import pyarrow as pa
import pytest

from ragstone.contracts.sources import Source
from ragstone.errors import InputError
from ragstone.spark.bundles import buckets_for
from ragstone.spark.file_splits import breaks_in, piece_of, splits_of, step_for, tasks_of
from ragstone.spark.per_line import read_files

LINES = [b"{}", b"", b'{"a": "\r"}', b"x" * 40, b"", b"", b"last"]


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("step", range(1, 70))
def test_every_line_is_in_one_split(step: int, end: bytes, tmp_path: Path) -> None:
    path, scratch = tmp_path / "lines.jsonl", tmp_path / "scratch"
    path.write_bytes(b"\n".join(LINES) + end)
    scratch.mkdir()
    read, before = b"", 0
    for split in splits_of(0, 0, Source("lines", path), True, step):
        piece = piece_of(split, scratch)
        if piece is not None:
            # The number of its first line, as the driver finds it.
            assert before + piece.late == read.count(b"\n")
            read += piece.source.path.read_bytes()
        before += breaks_in(split)
    assert read == path.read_bytes()


def test_a_mark_within_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"{}\n\xef\xbb\xbf{}\n")
    first, second, *_ = splits_of(0, 0, Source("lines", path), True, 3)
    assert piece_of(first, tmp_path) is not None
    with pytest.raises(InputError, match="a byte-order mark within the file"):
        piece_of(second, tmp_path)


def test_a_file_that_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"{}\n")
    (split,) = splits_of(0, 0, Source("lines", path), True, 99)
    path.write_bytes(b"{}\n{}\n")
    with pytest.raises(InputError, match="another file than the driver's"):
        piece_of(split, tmp_path)


def test_an_executor_without_the_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"{}\n")
    payload = pickle.dumps((None, [list(splits_of(0, 0, Source("lines", path), True, 99))]))
    path.unlink()
    numbers = pa.record_batch({"id": [0]})
    ((row,),) = (batch.to_pylist() for batch in read_files(payload, iter([numbers])))
    assert row["fault"].startswith(f"an executor cannot read {path} (No such file or directory)")


def test_small_files_share_a_task(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"{}\n" * 100)
    splits = [
        split for file in range(9) for split in splits_of(0, file, Source("a", path), True, 2**27)
    ]
    assert len(tasks_of(splits, 2**27)) == 1
    assert len(tasks_of(splits, 1)) == 9
    # As many bytes a task as give each core something to do, and not less than opening costs.
    assert step_for(2**40, 1, 2**27, 8) == 2**27
    assert step_for(2**20, 1, 2**27, 8) == 2**22


@pytest.mark.parametrize("parts", [1, 2, 7, 200])
def test_every_part_has_a_number_of_its_own(parts: int) -> None:
    assert len(set(buckets_for(parts))) == parts
