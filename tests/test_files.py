import errno
import os
from pathlib import Path

import pytest

from ragstone.errors import InputError
from ragstone.files import write


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
