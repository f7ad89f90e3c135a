"""One run lists every problem of every input, for every suite and however the inputs are packed."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest
from command import Ran, ragstone
from long_runs import one_of_each
from packing import unzstd, zstd
from test_every_suite import COMMANDS, JUDGING, KEPT

from ragstone.suites.registry import find_suite


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    shutil.copytree(KEPT / "files", folder)
    return folder


def inputs_of(case: str) -> list[str]:
    """The names of the files that a command reads."""
    return [word for word in JUDGING[case] if (KEPT / "files" / word).is_file()]


def add_line(path: Path, line: bytes) -> None:
    """Adds a line at the end; a Parquet file is cut short instead."""
    content = path.read_bytes()
    if path.suffix == ".parquet":
        path.write_bytes(content[: len(content) // 2])
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(gzip.decompress(content) + line))
    elif path.suffix == ".zst":
        path.write_bytes(zstd(unzstd(content) + line))
    else:
        path.write_bytes(content + line)


def refused(folder: Path, case: str) -> Ran:
    ran = ragstone(*JUDGING[case], "--no-config", "--all-errors", cwd=folder)
    assert (ran.code, ran.out) == (2, b""), ran.err
    assert "a fault in ragstone" not in ran.err
    return ran


@pytest.mark.parametrize("case", JUDGING)
def test_every_broken_input_is_named(case: str, files: Path) -> None:
    names = inputs_of(case)
    for name in names:
        add_line(files / name, b"nope\n")
    err = refused(files, case).err
    places = [err.find(name) for name in names]
    assert -1 not in places, err


# The first file of one command, the second of the next; every file of each in the long runs.
ABSENT = [
    (case, names[(place + number) % len(names)])
    for place, case in enumerate(JUDGING)
    for names in [inputs_of(case)]
    for number in range(len(names))
]


@pytest.mark.parametrize(("case", "absent"), one_of_each(ABSENT, lambda each: each[0]))
def test_a_file_that_is_not_there_hides_no_other(case: str, absent: str, files: Path) -> None:
    names = inputs_of(case)
    for name in names:
        add_line(files / name, b"nope\n")
    (files / absent).unlink()
    err = refused(files, case).err
    assert all(name in err for name in names), err


@pytest.mark.parametrize("case", JUDGING)
def test_a_repeated_key_is_named_beside_a_bad_line(case: str, files: Path) -> None:
    words, suite = JUDGING[case], find_suite(COMMANDS[JUDGING[case][0]])
    unique = {
        words[words.index(flag) + 1]: given.unique
        for given in suite.inputs
        if given.unique and (flag := f"--{given.name}") in words
    }
    names = [name for name in unique if name.endswith((".jsonl", ".gz", ".zst"))]
    for name in names:
        content = (files / name).read_bytes()
        plain = gzip.decompress(content) if name.endswith(".gz") else content
        add_line(files / name, b"nope\n" + plain.splitlines()[0] + b"\n")
    if names:
        lines = refused(files, case).err.splitlines()
        for name in names:
            own = [line for line in lines if line.startswith(f"{name}:")]
            assert len(own) == 2, own
            assert ": json: expected a value, found 'nope'" in own[0]
            assert f": {unique[name]}: " in own[1]
            assert own[1].endswith("was already given on line 1")


def test_a_gate_lists_the_problems_of_every_suite_once(files: Path) -> None:
    names = ("gold.jsonl", "good.jsonl", "retrieval_gold.jsonl", "samples.jsonl", "runs.jsonl")
    for name in names:
        add_line(files / name, b"nope\n")
    for more in ((), ("--fail-fast",)):
        ran = ragstone("gate", "--config", "everything.toml", *more, cwd=files)
        assert (ran.code, ran.out) == (2, b"")
        lines = ran.err.splitlines()
        for name in names:
            assert sum(line.startswith((f"{name}:", f"{files / name}:")) for line in lines) == 1
        assert lines[-1] == f"ragstone: {len(lines) - 1} problems in the input; nothing was scored"
