"""What is written for a while: gone after a run, and after the next one if this one is killed."""

from __future__ import annotations

import ast
import errno
import gc
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Folder, nobody_special

from ragstone import scratch
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.sources import find
from ragstone.engine.duck import Duck
from ragstone.engine.parquet_files import as_jsonl
from ragstone.engine.read_lines import Loading, load
from ragstone.errors import InputError

pytestmark = pytest.mark.python

SOURCE = Path(scratch.__file__).parent
NAMES = ("ragstone-0123456789ab.scratch", ".ragstone-0123456789ab.part")
THEIRS = (
    *("ragstone-demo", "ragstone-abc.scratch", "ragstone-0123456789ab.scratch.txt"),
    *(".ragstone-0123456789ab.part~", "0123456789ab.part", "run.part"),
)


@pytest.fixture(autouse=True)
def in_the_folder(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test sweeps anew; a process does so once for each folder."""
    monkeypatch.setattr("tempfile.tempdir", str(folder.scratch))
    monkeypatch.setattr(scratch, "_swept", set())


def listed(path: Path) -> list[str]:
    return sorted(each.name for each in path.iterdir())


def sweep(path: Path) -> None:
    """What every run does before it writes into a folder for the first time."""
    with scratch.part_file(path, 0o600):
        pass


def test_a_folder_is_private_and_goes_with_all_that_is_in_it(folder: Folder) -> None:
    with scratch.folder() as made:
        assert made.parent.parent == folder.scratch
        assert made.parent.stat().st_mode & 0o777 == 0o700
        assert made.stat().st_mode & 0o777 == 0o700
        (made / "spill").mkdir()
        (made / "spill" / "block").touch()
        scratch.keep(made, [b"x"])
    assert listed(folder.scratch) == []


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_many_folders_take_one_descriptor_and_go_with_the_last(folder: Folder) -> None:
    # What earlier tests left to the garbage collector holds descriptors, too.
    gc.collect()
    with scratch.folder() as first:
        before = descriptors()
        more = [scratch.make_folder() for _ in range(50)]
        assert descriptors() == before
        kept = [scratch.keep(each, [b"x"]) for each in more * 4]
        assert descriptors() <= before + 64
        assert {path.read_bytes() for path in kept} == {b"x"}
        for each in more:
            scratch.remove_folder(each)
        assert descriptors() == before
        assert listed(folder.scratch) == [first.parent.name]
    assert listed(folder.scratch) == []


class Collecting(type(Path())):  # type: ignore[misc]
    """A folder that the garbage collector takes when somebody looks at it."""

    @property
    def parent(self) -> Path:
        if self in scratch._folders:
            scratch._folders.pop(self)
        return super().parent


def test_a_folder_may_be_collected_while_another_is_removed(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "_folders", {})
    going, staying = scratch.make_folder(), scratch.make_folder()
    scratch._folders = {Collecting(folder.scratch / "seen"): {}, **scratch._folders}
    scratch.remove_folder(going)
    assert list(scratch._folders) == [staying]
    scratch.remove_folder(staying)
    assert listed(folder.scratch) == []


def test_a_folder_that_something_else_tidied_up_is_made_again(folder: Folder) -> None:
    with scratch.folder() as first:
        first.rmdir()
        first.parent.rmdir()
        second = scratch.make_folder()
    sweep(folder.scratch)
    assert second.is_dir()
    scratch.remove_folder(second)
    assert listed(folder.scratch) == []


def test_a_place_for_temporary_files_that_is_gone_is_told(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(folder.scratch / "gone"))
    with pytest.raises(InputError, match=r"gone, cannot be written: No such file or directory"):
        scratch.make_folder()


@pytest.mark.parametrize("name", NAMES)
def test_what_a_killed_run_left_is_swept(name: str, folder: Folder) -> None:
    (folder.scratch / name).mkdir()
    (folder.scratch / name / "spill").touch()
    (folder.scratch / ".ragstone-ba9876543210.part").write_text("half a rep")
    sweep(folder.scratch)
    assert listed(folder.scratch) == []


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch], ids=["folder", "file"])
@pytest.mark.parametrize("name", THEIRS)
def test_what_is_not_ours_stays(name: str, make: Callable[[Path], None], folder: Folder) -> None:
    make(folder.scratch / name)
    sweep(folder.scratch)
    assert listed(folder.scratch) == [name]


def test_what_a_living_process_holds_stays_until_it_is_killed(folder: Folder) -> None:
    held = """
import sys
from ragstone import scratch
temporary = scratch.make_folder().parent.parent
with scratch.part_file(temporary, 0o600), scratch.part_folder(temporary, 0o700):
    print("held", flush=True)
    sys.stdin.read()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", held],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(folder.scratch)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    before = listed(folder.scratch)
    assert len(before) == 3
    sweep(folder.scratch)
    assert listed(folder.scratch) == before
    process.kill()
    process.communicate()
    scratch._swept.clear()
    sweep(folder.scratch)
    assert listed(folder.scratch) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_link_is_not_followed_and_a_pipe_not_waited_for(name: str, folder: Folder) -> None:
    folder.write("gold.jsonl", "mine")
    (folder.scratch / name).symlink_to(folder.work)
    os.mkfifo(folder.scratch / ".ragstone-ba9876543210.part")
    inside = folder.scratch / "ragstone-ba9876543210.scratch"
    inside.mkdir()
    (inside / "link").symlink_to(folder.work)
    sweep(folder.scratch)
    assert listed(folder.work) == ["gold.jsonl"]
    assert listed(folder.scratch) == sorted([name, ".ragstone-ba9876543210.part"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_what_another_user_left_stays(folder: Folder) -> None:
    for name in NAMES:
        (folder.scratch / name).mkdir(mode=0o777)
    with nobody_special(folder):
        sweep(folder.scratch)
    assert listed(folder.scratch) == sorted(NAMES)


def test_a_folder_that_another_run_sweeps_too_early_is_made_again(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, early = scratch.lock, iter([True, False])

    def swept_first(descriptor: int) -> bool | None:
        if next(early, False):
            for each in folder.scratch.iterdir():
                each.rmdir()
        return lock(descriptor)

    monkeypatch.setattr(scratch, "lock", swept_first)
    with scratch.folder() as made:
        assert made.is_dir()


def test_where_nothing_can_be_locked_nothing_is_swept(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(errno.EBADF, "as on some network file systems")

    monkeypatch.setattr("fcntl.flock", unsupported)
    (folder.scratch / NAMES[0]).mkdir()
    with scratch.folder() as made:
        assert listed(folder.scratch) == sorted([NAMES[0], made.parent.name])
    assert listed(folder.scratch) == [NAMES[0]]


def test_a_kept_file_can_be_read_twice_and_has_no_name(folder: Folder) -> None:
    with scratch.folder() as made:
        paths = [scratch.keep(made, [b"one", b"two"]), scratch.keep(made, [b"three"])]
        assert [path.read_bytes() for path in paths * 2] == [b"onetwo", b"three"] * 2
        assert len({path.resolve() for path in paths}) == 2
        if sys.platform == "linux":
            assert listed(made) == []
        scratch.drop(made, paths[0])
        assert not paths[0].exists()
        many = [scratch.keep(made, [b"%d" % number]) for number in range(200)]
        assert [int(path.read_bytes()) for path in many] == list(range(200))
        assert sum(path.parent != made for path in many) < 100


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the next run removes the copy")
def test_the_copy_of_a_parquet_file_has_no_name(folder: Folder) -> None:
    path = folder.work / "gold.parquet"
    with Duck() as duck:
        duck.run(f"copy (select 'A1' as qid) to '{path}' (format parquet)")
        (source,) = find(path, "gold", duck.scratch)
        assert as_jsonl(duck, source).path.read_bytes() == b'{"qid":"A1"}\n'
        assert listed(duck.scratch) == []


FULL = "the disk that holds {} is full; free some of it, or set TMPDIR to a folder on another"


def rows(path: Path) -> None:
    find([{"qid": "A1"}], "gold", path)


def pipe(path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b'{"qid": "A1"}\n')
    os.close(writing)
    (source,) = find(f"/dev/fd/{reading}", "gold", path)
    source.must_be_readable()


def with_a_byte_order_mark(path: Path) -> None:
    marked = path / "marked.jsonl"
    marked.write_bytes(b'\xef\xbb\xbf{"qid": "A1", "answerable": true}\n')
    with Duck() as duck:
        load(duck, Loading(GOLD, find(marked, "gold", path), "gold", "", {}))


@pytest.mark.parametrize("given", [rows, pipe, with_a_byte_order_mark])
def test_a_full_disk_is_one_sentence(
    given: Callable[[Path], None], folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = os.open

    def full(path: Path, flags: int, mode: int = 0o777, **more: int) -> int:
        if str(path).endswith(".kept"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return really(path, flags, mode, **more)

    with scratch.folder() as made:
        monkeypatch.setattr(os, "open", full)
        with pytest.raises(InputError) as error:
            given(made)
    assert str(error.value) == FULL.format(folder.scratch)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_a_folder_for_temporary_files_that_cannot_be_written_is_one_sentence(
    code: int, depth: int, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = Path.mkdir

    def refuse(path: Path, mode: int) -> None:
        if len(path.parts) - len(folder.scratch.parts) >= depth:
            raise OSError(code, os.strerror(code))
        really(path, mode)

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(InputError) as error:
        scratch.make_folder()
    assert listed(folder.scratch) == []
    other = (
        f"the folder for temporary files, {folder.scratch}, cannot be written: "
        f"{os.strerror(code)}; set TMPDIR to another"
    )
    assert str(error.value) == (FULL.format(folder.scratch) if code == errno.ENOSPC else other)


def test_no_folder_for_temporary_files_at_all_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", none)
    with pytest.raises(InputError, match="there is no folder for temporary files"):
        scratch.make_folder()


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [str(node.module)] if isinstance(node, ast.ImportFrom) else []


def makes_something_temporary(path: Path) -> bool:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    texts = [str(node.value) for node in nodes if isinstance(node, ast.Constant)]
    return any("tempfile" in imported(node) for node in nodes) or any(
        text.endswith((".part", ".tmp")) for text in texts
    )


def test_nothing_temporary_is_made_elsewhere() -> None:
    """A temporary file that another module makes is one that nobody sweeps."""
    making = [path.name for path in SOURCE.rglob("*.py") if makes_something_temporary(path)]
    assert making == ["scratch.py"]
