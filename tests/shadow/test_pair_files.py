"""Pairs in files: what is written is read again, whoever writes, forgets or is killed."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.errors import ConfigError, InputError
from ragstone.shadow.pair_files import Counts, PairFiles, runs_in
from ragstone.shadow.pairs import ArmRecord, Hit, Pair, Perf, Retrieval, Said

NOON = 1_767_268_800.0
DAY = 86_400.0


def arm(*ids: str, claim: str = "It is 30 days.", delta_s: float | None = 0.2) -> ArmRecord:
    hits = tuple(map(Hit, ids))
    states = ("<>", "→")
    found = Retrieval(topk=hits, index_hash="i1", delta_s_list=(0.2,), lambda_states=states)
    said = Said(claim=claim, citations=hits[:1], coverage=1.0, delta_s=delta_s, lambda_final="→")
    return ArmRecord(retrieval=found, answer=said, perf=Perf(latency_ms=12.5))


def pair(id: str, **more: object) -> Pair:
    given = {"question": f"What is {id}?", "live": arm("d1"), "shadow": arm("e1"), "ts": 1}
    return Pair(id=id, **{**given, **more})  # type: ignore[arg-type]


@pytest.fixture
def files(tmp_path: Path) -> PairFiles:
    made = PairFiles(tmp_path)
    made.make()
    return made


def test_pairs_and_counts_are_read_as_they_were_written(files: PairFiles) -> None:
    failed = pair("b", shadow=None, failure="timeout: no answer within 30 s")
    for line in (pair("a"), Counts(mirror="m", seen=1), failed, Counts(mirror="m", seen=2)):
        files.add(line, NOON)
    assert list(files.pairs()) == [pair("a"), failed]
    assert files.counts() == [Counts(mirror="m", seen=2)]


def test_a_file_has_the_names_of_the_live_record(files: PairFiles) -> None:
    files.add(pair("a"), NOON)
    text = files.files()[0].read_text(encoding="utf-8")
    for name in ('"topk"', '"index_hash"', '"ΔS_list"', '"λ_states"', '"ΔS"', '"λ_final"'):
        assert name in text


def test_days_have_files_of_their_own_and_old_ones_are_removed(files: PairFiles) -> None:
    for number in range(3):
        files.add(pair(str(number)), NOON + number * DAY)
    assert [path.name for path in files.files()] == [
        "2026-01-01.jsonl",
        "2026-01-02.jsonl",
        "2026-01-03.jsonl",
    ]
    assert files.remove_before(NOON + DAY) == 1
    assert [each.id for each in files.pairs()] == ["1", "2"]


@given(st.binary(max_size=60).filter(lambda data: b"\n" not in data))
def test_a_torn_end_is_not_read_and_the_next_line_takes_its_place(
    tmp_path_factory: pytest.TempPathFactory, torn: bytes
) -> None:
    files = PairFiles(tmp_path_factory.mktemp("torn"))
    files.make()
    files.add(pair("a"), NOON)
    with files.files()[0].open("ab") as file:
        file.write(torn)
    assert [each.id for each in files.pairs()] == ["a"]
    files.add(pair("b"), NOON)
    assert [each.id for each in files.pairs()] == ["a", "b"]


def test_a_torn_end_longer_than_what_is_looked_at_once_is_cut_off_whole(files: PairFiles) -> None:
    files.add(pair("a"), NOON)
    with files.files()[0].open("ab") as file:
        file.write(b"x" * 100_000)
    files.add(pair("b"), NOON)
    assert [each.id for each in files.pairs()] == ["a", "b"]


def test_damage_is_told_with_its_place(files: PairFiles) -> None:
    files.add(pair("a"), NOON)
    with files.files()[0].open("ab") as file:
        file.write(b"not a pair\n")
    with pytest.raises(InputError, match=r"2026-01-01\.jsonl is damaged at line 2: it is no pair"):
        list(files.pairs())


def test_what_is_forgotten_is_off_the_disk(files: PairFiles) -> None:
    files.add(pair("a", qid="Q1", question="My name is Ada?"), NOON)
    files.add(pair("b", trace_id="t2", question="My name is Bob?"), NOON)
    files.add(Counts(mirror="m", seen=3), NOON)
    files.add(pair("c"), NOON)
    assert files.forget(["Q1", "t2", "unknown"]) == 2
    held = files.files()[0].read_bytes()
    assert b"Ada" not in held
    assert b"Bob" not in held
    assert [each.id for each in files.pairs()] == ["c"]
    assert files.counts() == [Counts(mirror="m", seen=3)]


def _write_some(folder: str, name: str, count: int) -> None:
    files = PairFiles(Path(folder))
    for number in range(count):
        files.add(pair(f"{name}-{number}"), NOON)


def test_processes_that_write_while_another_forgets_lose_nothing(files: PairFiles) -> None:
    folder = str(files.folder.parent.parent)
    files.add(pair("first", qid="gone"), NOON)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_some, args=(folder, name, 200)) for name in "ab"]
    for writer in writers:
        writer.start()
    forgotten = 0
    while any(writer.is_alive() for writer in writers):
        forgotten += files.forget(["gone", "a-0", "b-0"])
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    forgotten += files.forget(["gone", "a-0", "b-0"])
    assert forgotten == 3
    wanted = {f"{name}-{number}" for name in "ab" for number in range(1, 200)}
    found = [each.id for each in files.pairs()]
    assert sorted(found) == sorted(wanted)


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "x" * 65, "é"])
def test_a_run_has_a_plain_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="expected a name of letters"):
        PairFiles(tmp_path, name)


def test_runs_are_listed_by_their_last_pair(tmp_path: Path) -> None:
    assert runs_in(tmp_path) == []
    for run, moment in (("one", 1.0), ("two", 3.0), ("three", 2.0)):
        files = PairFiles(tmp_path, run)
        files.make()
        files.add(pair("a"), NOON)
        os.utime(files.files()[0], (moment, moment))
    assert runs_in(tmp_path) == ["two", "three", "one"]
