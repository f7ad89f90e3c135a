"""An index is written whole, opened as it was, and found out when it was touched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ragstone.errors import InputError
from ragstone.index.chunks import Chunk
from ragstone.index.documents import found_in
from ragstone.index.store import (
    built,
    header_in,
    index_problems,
    open_index,
    read_lines,
    write_index,
)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\n## One\n\nFirst things.\n\n## Two\n\nSecond things.\n")
    (folder / "b.txt").write_text("Plain words about the queue.\n")
    return folder


def build(docs: Path, path: Path) -> str:
    return write_index(path, *built(found_in(docs))).index_hash


def test_the_same_documents_give_the_same_bytes_and_the_same_fingerprint(docs, tmp_path):
    hashes = {build(docs, tmp_path / name) for name in ("one", "two")}
    assert len(hashes) == 1
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_a_line_of_the_manifest_has_what_the_retrieval_suite_reads(docs, tmp_path):
    build(docs, tmp_path / "one")
    line = json.loads((tmp_path / "one" / "manifest.jsonl").read_text().splitlines()[0])
    assert {"id", "section_id", "offsets", "type", "hash", "text", "doc"} <= line.keys()


def test_an_index_is_replaced_whole_and_nothing_is_left_beside_it(docs, tmp_path):
    first = build(docs, tmp_path / "one")
    (docs / "a.md").write_text("# A\n\n## One\n\nOther things.\n")
    assert build(docs, tmp_path / "one") != first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "one"]


def test_a_build_killed_between_its_two_renames_leaves_the_old_index(docs, tmp_path):
    first = build(docs, tmp_path / "one")
    (tmp_path / "one").rename(tmp_path / ".one.old")
    assert header_in(tmp_path / "one")[1].index_hash == first
    assert build(docs, tmp_path / "one") == first
    assert not (tmp_path / ".one.old").exists()


def test_a_build_that_cannot_end_leaves_the_old_index(docs, tmp_path, monkeypatch):
    first = build(docs, tmp_path / "one")

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="the disk is full"):
        build(docs, tmp_path / "one")
    assert header_in(tmp_path / "one")[1].index_hash == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "one"]


def test_a_folder_that_is_no_index_is_never_replaced(docs, tmp_path):
    with pytest.raises(InputError, match="not an index"):
        build(docs, docs)
    assert (docs / "a.md").exists()


def test_verify_finds_what_was_touched(docs, tmp_path):
    build(docs, tmp_path / "one")
    assert index_problems(tmp_path / "one", docs) == []
    manifest = tmp_path / "one" / "manifest.jsonl"
    manifest.write_text(manifest.read_text().replace("First", "Worst"))
    assert index_problems(tmp_path / "one") == [
        "manifest.jsonl: its hash is not the one the index was built with"
    ]
    (tmp_path / "one" / "words.msgpack").unlink()
    assert "words.msgpack: the file is missing" in index_problems(tmp_path / "one")
    with pytest.raises(InputError, match="build the index again"):
        open_index(tmp_path / "one")


def test_verify_finds_documents_that_have_changed(docs, tmp_path):
    build(docs, tmp_path / "one")
    (docs / "a.md").write_text("# A\n\n## One\n\nFirst things.\n\n## Two\n\nNew things.\n")
    found = index_problems(tmp_path / "one", docs)
    assert [text.partition("~")[0] for text in found] == ["a.md#two", "a.md#two"]


def test_an_index_of_another_format_is_refused(docs, tmp_path):
    """Formats 1 and 2 are read; one that is not known may mean anything."""
    build(docs, tmp_path / "one")
    header = tmp_path / "one" / "index.json"
    header.write_text(header.read_text().replace('"format": 2', '"format": 99'))
    with pytest.raises(InputError, match="built by another version of ragstone; build it again"):
        open_index(tmp_path / "one")


def test_every_unreadable_document_is_named(docs, tmp_path):
    (docs / "x.md").write_bytes(b"\xff")
    (docs / "y.md").write_bytes(b"ok \xfe")
    with pytest.raises(InputError, match=r"(?s)x\.md: byte 0.*y\.md: byte 3"):
        build(docs, tmp_path / "one")


def test_what_is_read_back_is_what_was_written(docs, tmp_path):
    _, chunks = built(found_in(docs))
    build(docs, tmp_path / "one")
    assert list(read_lines(tmp_path / "one" / "manifest.jsonl", Chunk)) == chunks
    assert open_index(tmp_path / "one").chunks == tuple(chunks)
