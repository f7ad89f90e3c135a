import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ragstone import files
from ragstone.errors import InputError
from ragstone.files import folder_aside, sha256_of, write, write_files, write_new, write_set

pytestmark = pytest.mark.python


def test_a_file_is_written_whole_and_nothing_stays_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "report.md"
    target.write_text("old")
    write(target, "new 🪨\n")
    assert target.read_bytes() == "new 🪨\n".encode()
    assert list(tmp_path.iterdir()) == [target]


def test_the_user_mask_decides_about_a_new_file_and_an_old_one_keeps_its_mode(
    tmp_path: Path,
) -> None:
    old, new = tmp_path / "old.md", tmp_path / "new.md"
    old.touch(mode=0o600)
    write(old, "x")
    write(new, "x")
    (tmp_path / "plain").touch()
    assert old.stat().st_mode & 0o777 == 0o600
    assert new.stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.md", tmp_path / "link.md"
    real.write_text("old")
    link.symlink_to(real)
    write(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    write(os.devnull, "x")
    assert not Path(os.devnull).is_file()


def test_a_missing_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    target = tmp_path / "none" / "report.md"
    with pytest.raises(InputError) as error:
        write(target, "x")
    assert str(error.value) == f"{target}: cannot be written: there is no folder {target.parent}"


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is a folder"):
        write(tmp_path, "x")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EACCES, "permission was denied"),
        (errno.EROFS, "permission was denied"),
        (errno.EIO, os.strerror(errno.EIO).lower()),
    ],
)
def test_what_the_system_refuses_is_told_and_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, reason: str
) -> None:
    target = tmp_path / "report.md"
    target.write_text("old")

    def refuse(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(InputError, match=reason):
        write(target, "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_an_interrupt_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "report.md", "new")
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_too_long_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the name is too long"):
        write(tmp_path / ("x" * 300 + ".md"), "x")


def test_links_in_a_circle_are_told_and_stay(tmp_path: Path) -> None:
    one, other = tmp_path / "one.md", tmp_path / "other.md"
    one.symlink_to(other)
    other.symlink_to(one)
    with pytest.raises(InputError) as error:
        write(one, "x")
    assert str(error.value) == f"{one}: cannot be written: its links lead in a circle"
    assert one.is_symlink()
    assert other.is_symlink()


def test_a_pipe_without_a_reader_is_told_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "report.md"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="it is a pipe that nobody reads"):
        write(pipe, "x")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe, "x")
    assert os.read(reader, 9) == b"x"
    os.close(reader)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


OLD, NEW = {"a": b"old", "b": b"old"}, {"a": b"new", "b": b"new"}


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_set_takes_the_place_of_the_old_one_and_other_files_stay(
    can_exchange: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_exchange:
        monkeypatch.setattr(files, "_exchanged", lambda *_: False)
    folder = tmp_path / "out"
    write_set(folder, OLD)
    folder.chmod(0o750)
    (folder / "notes").write_bytes(b"mine")
    write_set(folder, NEW)
    assert contents(folder) == {**NEW, "notes": b"mine"}
    assert folder.stat().st_mode & 0o777 == 0o750
    assert (folder / "notes").stat().st_nlink == 1
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


class Killed(BaseException):
    """The end of the process: nothing is cleaned up after it."""


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_kill_at_any_step_leaves_one_whole_set(
    can_exchange: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stops before every call that changes the disk, and looks at what is there."""
    if not can_exchange:
        monkeypatch.setattr(files, "_exchanged", lambda *_: False)
    killed_at, folder = 0, tmp_path / "out"
    changing = [(os, "rename"), (os, "replace"), (os, "link"), (os, "fsync"), (os, "chmod")]
    changing += [(shutil, "rmtree"), (files, "_exchanged")]
    seen = set()
    while True:
        write_set(folder, OLD)
        left = killed_at
        with monkeypatch.context() as patch:

            def guarded(module: object, name: str) -> None:
                really = getattr(module, name)

                def call(*given: object, **named: object) -> object:
                    nonlocal left
                    left -= 1
                    if left < 0:
                        raise Killed
                    return really(*given, **named)

                patch.setattr(module, name, call)

            for module, name in changing:
                guarded(module, name)
            try:
                write_set(folder, NEW)
            except Killed:
                pass
            else:
                break
        found = contents(folder if folder.exists() else folder_aside(folder))
        assert found in (OLD, NEW), killed_at
        seen.add(found["a"])
        killed_at += 1
    assert seen == {b"old", b"new"}
    assert contents(folder) == NEW


def test_a_set_is_written_in_place_where_folders_cannot_change_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    write_set(folder, OLD)
    (folder / "others").mkdir()
    inode = folder.stat().st_ino
    write_set(folder, NEW)
    assert (folder / "a").read_bytes() == b"new"
    monkeypatch.chdir(folder / "others")
    write_set(folder, OLD)
    monkeypatch.chdir(folder)
    write_set(".", NEW)
    assert (Path("a").read_bytes(), folder.stat().st_ino) == (b"new", inode)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("make", [Path.touch, os.mkfifo], ids=["file", "pipe"])
def test_a_set_does_not_take_the_place_of_a_file_or_a_device(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    target = tmp_path / "taken"
    make(target)
    before = target.stat()
    with pytest.raises(InputError, match="something else of that name, and no folder"):
        write_set(target, NEW)
    assert os.path.samestat(before, target.stat())
    assert list(tmp_path.iterdir()) == [target]


def test_a_set_that_cannot_be_written_is_told_and_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    write_set(folder, OLD)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError) as error:
        write_set(folder, NEW)
    assert str(error.value) == f"{folder / 'a'}: cannot be written: the disk is full"
    assert contents(folder) == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("links", [True, False])
def test_a_new_file_never_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:

        def refuse(self: Path, target: Path) -> None:
            raise OSError(errno.EOPNOTSUPP, "no links here")

        monkeypatch.setattr(Path, "hardlink_to", refuse)
    target = tmp_path / "main.json"
    assert write_new(target, b"one")
    assert not write_new(target, b"two")
    assert target.read_bytes() == b"one"
    assert [path.name for path in tmp_path.iterdir()] == ["main.json"]


def test_what_another_wrote_is_kept_under_the_next_free_name(tmp_path: Path) -> None:
    target = tmp_path / "trace.jsonl"
    names = []
    for text in ("mine", "mine too", "and mine"):
        target.write_text(text)
        names.append(write_files({target: [b"new"]}, may_replace=()))
    assert [Path(kept[str(target)]).name for kept in names] == [
        "trace.jsonl.before",
        "trace.jsonl.before.2",
        "trace.jsonl.before.3",
    ]
    assert [Path(kept[str(target)]).read_text() for kept in names] == [
        "mine",
        "mine too",
        "and mine",
    ]
    assert target.read_text() == "new"
    assert not write_files({target: [b"newer"]}, may_replace={sha256_of(b"new")})
    assert target.read_text() == "newer"


def test_a_run_killed_before_the_rename_has_kept_it_already(tmp_path: Path) -> None:
    target = tmp_path / "trace.jsonl"
    target.write_text("mine")
    (tmp_path / "trace.jsonl.before").hardlink_to(target)
    write_files({target: [b"new"]}, may_replace=())
    assert {path.name for path in tmp_path.iterdir()} == {"trace.jsonl", "trace.jsonl.before"}
    assert (tmp_path / "trace.jsonl.before").read_text() == "mine"


def test_an_empty_file_and_a_device_are_not_kept(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert not write_files({empty: [b"x"], os.devnull: [b"x"]}, may_replace=())
    assert [path.name for path in tmp_path.iterdir()] == ["empty.jsonl"]


def test_what_is_kept_behind_a_link_stays_beside_the_file_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    real, link = tmp_path / "disk" / "real.jsonl", tmp_path / "link.jsonl"
    real.write_text("old")
    link.symlink_to(real)
    kept = write_files({link: [b"new"]}, may_replace=())
    assert Path(kept[str(link)]) == tmp_path / "disk" / "real.jsonl.before"
    assert (tmp_path / "disk" / "real.jsonl.before").read_text() == "old"
    assert link.read_text() == real.read_text() == "new"


def test_a_disk_without_links_keeps_it_too(tmp_path: Path, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    target = tmp_path / "trace.jsonl"
    for text in ("mine", "mine too"):
        target.write_text(text)
        write_files({target: [b"new"]}, may_replace=())
    assert (tmp_path / "trace.jsonl.before").read_text() == "mine"
    assert (tmp_path / "trace.jsonl.before.2").read_text() == "mine too"
    assert target.read_text() == "new"
