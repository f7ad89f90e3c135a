"""One way to the bytes of a file: what is not whole is damaged, and lines are what they are."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from packing import zstd

from ragstone.contracts import packed
from ragstone.contracts.packed import Damaged, TooLong, compression_of, count_lines, lines_in

pytestmark = pytest.mark.python

SKIPPABLE = b"\x5f\x2a\x4d\x18\x04\x00\x00\x00abcd"
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "gzip": gzip.compress,
    "zstd": zstd,
}
BYTES = [b"a", b"\n", b"\r", b"\0", b"\x85", b"\xff"]
TEXT = "".join(f"{number * 7919 % 1009} " for number in range(500)).encode()


def written(folder: Path, content: bytes) -> Path:
    path = folder / "packed"
    path.write_bytes(content)
    return path


def damage(folder: Path, content: bytes) -> str:
    """What is said of a packed file; nothing if it is whole."""
    try:
        count_lines(written(folder, content), compression_of(content[:4]))
    except Damaged as error:
        return str(error)
    return ""


def test_whole_frames_of_zstd_are_good(tmp_path: Path) -> None:
    whole, empty, large = zstd(TEXT), zstd(b""), zstd(b"x" * 3_000_000)
    for content in (whole, empty, large, whole + whole, whole + SKIPPABLE + large, SKIPPABLE):
        assert compression_of(content[:4]) == "zstd"
        assert damage(tmp_path, content) == ""


@pytest.mark.parametrize("pack", [zstd, gzip.compress], ids=["zstd", "gzip"])
def test_a_packed_file_that_is_cut_anywhere_is_damaged(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    whole = pack(TEXT)
    for cut in range(4, len(whole)):
        assert damage(tmp_path, whole[:cut]) == "it ends too early (truncated?)"


@pytest.mark.parametrize("pack", [zstd, gzip.compress], ids=["zstd", "gzip"])
def test_a_packed_file_must_hold_what_its_checksum_says(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    flipped = bytearray(pack(TEXT))
    # The checksum is the last four bytes of zstd, and before the size at the end of gzip.
    flipped[-8 if pack is gzip.compress else -4] ^= 1
    assert damage(tmp_path, bytes(flipped)).startswith("it does not unpack: ")


def test_other_bytes_behind_zstd_are_seen(tmp_path: Path) -> None:
    for behind in (b"hello", b"\0\0\0\0", SKIPPABLE[:-1]):
        assert damage(tmp_path, zstd(TEXT) + behind) != ""


@pytest.mark.parametrize("packing", PACKINGS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\0", b"\x85", b"\xff"])).map(b"".join)
)
@example(content=b"x" * 300_000 + b"\n" + b"y" * 600_000)
@example(content=b"\r\n\x0b\x0c\x1c\x1d\x1e\xc2\x85\xe2\x80\xa8\n")
def test_lines_are_split_at_line_feeds_and_nowhere_else(
    packing: str, content: bytes, tmp_path: Path
) -> None:
    made = PACKINGS[packing](content)
    path, compression = written(tmp_path, made), compression_of(made[:4])
    assert compression == packing
    assert list(lines_in(path, compression)) == list(io.BytesIO(content))
    assert count_lines(path, compression) == len(list(io.BytesIO(content)))


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("end", [b"", b"\n"], ids=["open", "ended"])
def test_a_line_may_be_as_long_as_the_limit_and_no_longer(
    packing: str, end: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "LONGEST", 1_000_000)
    for length, fits in ((1_000_000, True), (1_000_001, False)):
        made = PACKINGS[packing](b"a\nb\n" + b"x" * length + end)
        path, compression = written(tmp_path, made), compression_of(made[:4])
        for read in (count_lines, lambda *given: sum(1 for _ in lines_in(*given))):
            if fits:
                assert read(path, compression) == 3
                continue
            with pytest.raises(TooLong) as error:
                read(path, compression)
            assert error.value.line == 3
