"""The store of live records: what is acknowledged is there, once, whatever happens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from full_disk import full_disk
from hypothesis import given, settings
from hypothesis import strategies as st
from serve.made_batches import batch, incoming, stored

from ragstone.errors import InputError
from ragstone.own_files import Aside
from ragstone.serve.frames import (
    OLD_MARK,
    Batch,
    Unread,
    batches_in,
    first_line,
    frame_of,
    unread_in,
)
from ragstone.serve.group_commit import Busy, Incoming, OtherBatch, Receipt
from ragstone.serve.journal_file import NotStored
from ragstone.serve.live_store import LiveStore
from ragstone.worker import Troubles


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "live"


@pytest.fixture
def store(data: Path) -> Iterator[LiveStore]:
    made = LiveStore(data)
    yield made
    made.close()


def texts(store: LiveStore) -> list[str]:
    return sorted(record.text for record in store.records())


def put(store: LiveStore, *said: str, key: str = "") -> Receipt:
    return store.submit(incoming(*said, key=key)).result(10)


def test_what_is_acknowledged_is_read_back(store: LiveStore) -> None:
    assert put(store, "a", "b") == Receipt(2, 0)
    assert texts(store) == ["a", "b"]


def test_a_record_that_is_sent_again_is_stored_once(store: LiveStore) -> None:
    put(store, "a")
    assert put(store, "a", "b", "b") == Receipt(1, 2)
    assert texts(store) == ["a", "b"]


def test_a_batch_with_a_key_is_stored_once(store: LiveStore) -> None:
    put(store, "a", "b", key="first")
    assert put(store, "a", "b", key="first") == Receipt(0, 2)
    with pytest.raises(OtherBatch):
        put(store, "c", key="first")
    assert texts(store) == ["a", "b"]


def test_a_restart_keeps_records_and_knows_them(data: Path) -> None:
    first = LiveStore(data)
    put(first, "a", "b")
    first.close()
    again = LiveStore(data)
    assert texts(again) == ["a", "b"]
    assert put(again, "b", "c") == Receipt(1, 1)
    again.close()
    assert [path.name for path in sorted((data / "segments").iterdir())] == ["000000001.parquet"]


def test_a_folder_has_one_server(store: LiveStore, data: Path) -> None:
    with pytest.raises(InputError, match="in use by another ragstone serve"):
        LiveStore(data)


def test_a_journal_that_is_full_becomes_a_segment(data: Path) -> None:
    store = LiveStore(data, journal_size=10)
    for text in "abc":
        put(store, text)
    assert store.seal() == 2
    assert len(list((data / "segments").iterdir())) == 2
    assert texts(store) == ["a", "b", "c"]
    store.close()


def test_a_crash_between_segment_and_journal_doubles_nothing(data: Path) -> None:
    store = LiveStore(data)
    put(store, "a")
    journal = next((data / "journals").iterdir())
    copy = journal.read_bytes()
    store.forget(["nothing"])
    store.close()
    journal.write_bytes(copy)
    again = LiveStore(data)
    assert texts(again) == ["a"]
    again.close()


def test_half_a_segment_is_swept(data: Path) -> None:
    store = LiveStore(data)
    put(store, "a")
    store.close()
    half = data / "segments" / ".ragstone-0123456789ab.part"
    half.write_bytes(b"PAR1 half")
    again = LiveStore(data)
    assert texts(again) == ["a"]
    assert not half.exists()
    again.close()


def journal_of(path: Path, *batches: Batch, old: bool = False) -> bytes:
    """A journal whose frames were synced one by one; or one of an earlier version."""
    data, mark = (b"", OLD_MARK) if old else first_line()
    for each in batches:
        data += frame_of(each, len(data), mark)
    path.write_bytes(data)
    return data


@given(cut=st.integers(min_value=0), garbage=st.binary(max_size=40), old=st.booleans())
@settings(deadline=None, max_examples=60)
def test_a_torn_end_is_left_out_wherever_it_is_torn(
    tmp_path_factory: pytest.TempPathFactory, cut: int, garbage: bytes, old: bool
) -> None:
    path = tmp_path_factory.mktemp("torn") / "1.journal"
    first, second = batch("a"), batch("b", "c")
    whole = journal_of(path, first, second, old=old)
    end = len(whole) - len(frame_of(second, 0, OLD_MARK if old else b"8 bytes."))
    kept = end + cut % (len(whole) - end)
    path.write_bytes(whole[:kept] + garbage)
    if garbage and whole.startswith(path.read_bytes()):
        return
    size = path.stat().st_size
    assert unread_in(path) == ([Unread(end, size, torn=True)] if size > end else [])
    assert list(batches_in(path)) == [first]


def opened(data: Path) -> tuple[list[str], Troubles]:
    """What a store finds in a folder, and what trouble it has with it."""
    troubles = Troubles()
    store = LiveStore(data, troubles=troubles)
    found = texts(store)
    store.close()
    return found, troubles


@pytest.mark.parametrize("old", [False, True])
def test_damage_is_set_aside_and_told_and_the_rest_is_read(data: Path, old: bool) -> None:
    (data / "journals").mkdir(parents=True)
    path = data / "journals" / "000000001.journal"
    whole = bytearray(journal_of(path, batch("a"), batch("b"), batch("c"), old=old))
    at = whole.index(b"trace\xcd\x03\xe8\xa0\xa0\xa1b")
    whole[at] ^= 1
    path.write_bytes(whole)
    found, troubles = opened(data)
    assert found == ["a", "c"]
    assert "000000001.journal is damaged at byte" in troubles.words
    (aside,) = Aside(data).files()
    assert aside.read_bytes() in bytes(whole) and bytes(whole[at : at + 10]) in aside.read_bytes()
    assert opened(data)[0] == ["a", "c"]


def test_a_torn_end_is_set_aside_and_is_no_trouble(data: Path) -> None:
    (data / "journals").mkdir(parents=True)
    path = data / "journals" / "000000001.journal"
    path.write_bytes(journal_of(path, batch("a"), batch("b"))[:-1])
    found, troubles = opened(data)
    assert (found, troubles.words) == (["a"], "")
    assert [aside.stat().st_mode & 0o077 for aside in Aside(data).files()] == [0]


@pytest.mark.parametrize("content", [b"", b"PAR1 torn", b"x" * 100_000])
def test_a_segment_that_cannot_be_read_is_in_nobodys_way(data: Path, content: bytes) -> None:
    store = LiveStore(data, journal_size=1)
    for text in "abc":
        put(store, text)
    store.seal()
    (data / "segments" / "000000002.parquet").write_bytes(content)
    assert texts(store) == ["a", "c"]
    assert store.forget([stored("a").id]) == 1
    store.close()
    found, troubles = opened(data)
    assert (found, troubles.words) == (["c"], "")
    assert [path.name[:-9] for path in Aside(data).files()] == ["000000002.parquet"]


def test_what_does_not_begin_as_ours_is_left_as_it_is(data: Path) -> None:
    for folder in ("journals", "segments"):
        (data / folder).mkdir(parents=True)
    others = [
        data / "journals" / name for name in ("000000003.journal", "notes.journal", "000000004.txt")
    ]
    others.append(data / "segments" / "notes.parquet")
    for path in others:
        path.write_bytes(b"somebody's notes\n")
    store = LiveStore(data)
    put(store, "a")
    store.close()
    assert opened(data)[0] == ["a"]
    assert {path.read_bytes() for path in others} == {b"somebody's notes\n"}


def test_forgetting_takes_a_trace_and_a_question_out_of_every_file(data: Path) -> None:
    store = LiveStore(data, journal_size=10)
    for number, (name, qid) in enumerate([("t1", ""), ("t2", "Q1"), ("t3", "Q2"), ("t1", "")]):
        record = stored(f"r{number}", name=name, qid=qid)
        store.submit(Incoming(Batch("", "", 1, (record,)), ("",), 1)).result(10)
    assert store.forget(["t1", "Q2"]) == 3
    assert texts(store) == ["r1"]
    assert b"r3" not in b"".join(path.read_bytes() for path in data.rglob("*.*") if path.is_file())
    store.close()


def test_old_segments_are_removed(data: Path) -> None:
    store = LiveStore(data, journal_size=1)
    for text, arrived in (("a", 1_000), ("b", 2_000), ("c", 3_000)):
        store.submit(Incoming(batch(text, arrived=arrived), (text,), 1)).result(10)
    store.seal()
    assert store.remove_before(2_000) == 1
    assert texts(store) == ["b", "c"]
    store.close()


def test_too_much_that_waits_is_turned_away(store: LiveStore) -> None:
    large = Incoming(batch("a"), ("a",), 2**40)
    with pytest.raises(Busy):
        store.submit(large)
    assert put(store, "b") == Receipt(1, 0)


def test_a_full_disk_loses_nothing_that_was_acknowledged(data: Path) -> None:
    """The kernel refuses to let the journal grow, as a full disk does."""
    store = LiveStore(data)
    put(store, "a")
    (journal,) = (data / "journals").iterdir()
    size = journal.stat().st_size
    with full_disk(size + 20), pytest.raises(NotStored) as refused:
        put(store, "b" * 100)
    assert journal.stat().st_size == size
    assert refused.value.full
    assert put(store, "c") == Receipt(1, 0)
    assert put(store, "b" * 100) == Receipt(1, 0)
    store.close()
    again = LiveStore(data)
    assert texts(again) == ["a", "b" * 100, "c"]
    again.close()


WRITES = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from serve.made_batches import incoming
from ragstone.serve.live_store import LiveStore
store = LiveStore(Path(sys.argv[1]), journal_size=2000)
for number in range(10**6):
    text = f"{sys.argv[3]}-{number}"
    store.submit(incoming(text)).result()
    print(text, flush=True)
    if number % 50 == 0:
        store.seal()
"""


@pytest.mark.parametrize("after", [3, 120, 333])
def test_a_killed_process_loses_and_doubles_nothing(data: Path, after: int) -> None:
    tests = str(Path(__file__).parent.parent)
    acknowledged = []
    for turn in range(2):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITES, str(data), tests, str(turn)], stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        with child.stdout:
            acknowledged += [child.stdout.readline().decode().strip() for _ in range(after)]
            child.kill()
            acknowledged += [line.decode().strip() for line in child.stdout if line.endswith(b"\n")]
        child.wait()
    store = LiveStore(data)
    found = [record.text for record in store.records()]
    store.close()
    assert len(found) == len(set(found))
    assert set(acknowledged) <= set(found)
    # What was in flight at the kill may be there too: one record a turn.
    assert len(found) <= len(acknowledged) + 2


def test_only_the_owner_can_read_the_files(store: LiveStore, data: Path) -> None:
    put(store, "a")
    for path in (data, data / "journals", *(data / "journals").iterdir()):
        assert path.stat().st_mode & 0o077 == 0, path
