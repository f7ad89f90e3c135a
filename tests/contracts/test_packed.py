"""A packed file that is not whole is never taken for one that is."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from ragstone.contracts.packed import Damaged, check_gzip, check_zstd

SKIPPABLE = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"


def zstd(tmp_path: Path, text: str) -> bytes:
    """The text as zstd, packed by DuckDB."""
    path = tmp_path / "made.zst"
    with duckdb.connect() as connection:
        connection.execute(
            f"copy (select $text as t) to '{path}' (format csv, header false, compression zstd)",
            {"text": text},
        )
    return path.read_bytes()


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    return zstd(tmp_path, "".join(f"{number * 7919 % 1009} " for number in range(500)))


def checked(check: Callable[[Path], None], tmp_path: Path, content: bytes) -> str:
    """What the check says of the content; nothing if it is whole."""
    path = tmp_path / "packed"
    path.write_bytes(content)
    try:
        check(path)
    except Damaged as error:
        return str(error)
    return ""


def test_whole_frames_of_zstd_are_good(whole: bytes, tmp_path: Path) -> None:
    empty = zstd(tmp_path, "")
    large = zstd(tmp_path, "x" * 3_000_000)
    for content in (whole, empty, large, whole + whole, whole + SKIPPABLE + large, SKIPPABLE):
        assert checked(check_zstd, tmp_path, content) == ""


def test_zstd_cut_anywhere_is_damaged(whole: bytes, tmp_path: Path) -> None:
    for cut in range(1, len(whole)):
        assert checked(check_zstd, tmp_path, whole[:cut]) == "it ends too early (truncated?)"
    assert checked(check_zstd, tmp_path, whole + SKIPPABLE[:-1]) != ""


def test_other_bytes_behind_zstd_are_seen(whole: bytes, tmp_path: Path) -> None:
    assert checked(check_zstd, tmp_path, whole + b"hello") == "it holds bytes that are not zstd"


def test_gzip_must_unpack_to_what_its_checksum_says(tmp_path: Path) -> None:
    member = gzip.compress(b"a line\n" * 100)
    assert checked(check_gzip, tmp_path, member + member) == ""
    for cut in range(1, len(member)):
        assert checked(check_gzip, tmp_path, member[:cut]) != ""
    flipped = bytearray(member)
    flipped[-6] ^= 1
    assert "CRC" in checked(check_gzip, tmp_path, bytes(flipped))
