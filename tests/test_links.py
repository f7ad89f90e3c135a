"""No link is followed in a folder that Ragstone keeps: such a folder may come with a clone."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from command import INPUTS, Folder, ragstone

from ragstone.errors import InputError
from ragstone.own_files import NotOurs, open_own, own_files
from ragstone.serve.alert_log import AlertLog
from ragstone.serve.live_store import LiveStore
from ragstone.shadow.mirror_app import Mirror
from ragstone.shadow.pair_files import Counts, PairFiles

pytestmark = pytest.mark.python

TEXT = b"somebody's file, without a line break at its end"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim"
    path.write_bytes(TEXT)
    return path


def link(path: Path, target: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def store(data: Path) -> None:
    LiveStore(data).close()


def alerts(data: Path) -> None:
    AlertLog(data / "alerts.jsonl").add({"id": "coverage/raised/1"})


def pairs(data: Path) -> None:
    files = PairFiles(data)
    files.make()
    files.add(Counts(mirror="m"), 0.0)


def forgets(data: Path) -> None:
    PairFiles(data).forget(["Q1"])


PLACES: dict[str, Callable[[Path], None]] = {
    "lock": store,
    "journals/000000001.journal": store,
    "segments/000000001.parquet": store,
    "alerts.jsonl": alerts,
    "shadow/shadow/1970-01-01.jsonl": pairs,
    "shadow/shadow/2026-01-01.jsonl": forgets,
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_in_the_folder_of_data_is_refused_and_what_it_leads_to_is_untouched(
    tmp_path: Path, victim: Path, name: str, dangling: bool
) -> None:
    target = tmp_path / "nothing" if dangling else victim
    link(tmp_path / "live" / name, target)
    with pytest.raises(NotOurs, match="is a link, and Ragstone leaves it as it is"):
        PLACES[name](tmp_path / "live")
    assert victim.read_bytes() == TEXT
    assert not (tmp_path / "nothing").exists()
    assert (tmp_path / "live" / name).is_symlink()


@pytest.mark.parametrize("name", ["journals", "segments", "shadow", "shadow/shadow", "aside"])
def test_a_folder_that_is_a_link_is_refused(tmp_path: Path, name: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "000000001.journal").write_bytes(b"\x93RSJ torn")
    link(tmp_path / "live" / name, other)
    made = tmp_path / "live" / "journals" / "000000001.journal"
    if name == "aside":
        made.parent.mkdir()
        made.write_bytes(b"\x93RSJ torn")
    with pytest.raises(NotOurs):
        (pairs if name.startswith("shadow") else store)(tmp_path / "live")
    assert [path.name for path in other.iterdir()] == ["000000001.journal"]


def test_a_folder_that_is_named_may_be_a_link_and_one_that_lies_there_may_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / ".ragstone").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    store(tmp_path / ".ragstone")
    ran = ragstone("serve", "--port", "0", cwd=tmp_path)
    assert ran.code == 2
    assert ".ragstone is a link, and nobody has named it on the command line" in ran.err
    with pytest.raises(InputError, match="is a link, and nobody has named it"):
        Mirror(lambda *_: None, "index:x")  # type: ignore[arg-type]
    for words in (("runs",), ("score", *INPUTS, "--record")):
        assert "is a link" in ragstone(*words, cwd=tmp_path).err
    assert ragstone("runs", "--ledger", "./.ragstone", cwd=tmp_path).code == 0


LEDGER = (
    ("runs", ("score", *INPUTS, "--record")),
    ("names", ("runs", "accept", "last", "--name", "main")),
    ("names/main.json", ("runs", "accept", "last", "--name", "main", "--replace")),
)


@pytest.mark.parametrize(("name", "words"), LEDGER)
def test_no_link_in_a_ledger_is_followed(
    folder: Folder, victim: Path, name: str, words: tuple[str, ...]
) -> None:
    folder.fill()
    path = folder.work / ".ragstone" / name
    if name != "runs":
        assert ragstone("score", *INPUTS, "--record", cwd=folder.work).code == 0
    other = victim.parent / "other"
    other.mkdir()
    link(path, victim if path.suffix else other)
    ran = ragstone(*words, cwd=folder.work)
    assert ran.code == 2
    assert f"{path.relative_to(folder.work)} is a link" in ran.err
    assert victim.read_bytes() == TEXT
    assert [*other.iterdir()] == []


@pytest.mark.parametrize("inside", [False, True])
def test_no_link_in_an_index_is_followed(folder: Folder, victim: Path, inside: bool) -> None:
    """Where the index is the working folder its files are written in place."""
    folder.write("docs/a.md", "# Notice\n\nThe notice period is 30 days.\n")
    build = ("index", "build", str(folder.work / "docs"), "-o")
    assert ragstone(*build, "i.index", cwd=folder.work).code == 0
    path = folder.work / "i.index" / "manifest.jsonl"
    path.unlink()
    link(path, victim)
    if inside:
        ran = ragstone(*build, ".", cwd=path.parent)
        assert ran.code == 2 and "is a link" in ran.err
    else:
        ran = ragstone("index", "verify", "i.index", cwd=folder.work)
        assert ran.code != 0 and "is a link" in ran.out.decode() + ran.err
    assert victim.read_bytes() == TEXT


def test_a_journal_of_run_that_is_a_link_is_refused(folder: Folder, victim: Path) -> None:
    folder.fill()
    victim.write_bytes(b'{"journal":1,"target":"torn')
    link(folder.work / "t.jsonl.journal", victim)
    words = ("run", "--gold", "gold.jsonl", "--target", "cmd:cat", "-o", "t.jsonl", "--fresh")
    ran = ragstone(*words, cwd=folder.work)
    assert ran.code == 2 and "t.jsonl.journal is a link" in ran.err
    assert victim.read_bytes() == b'{"journal":1,"target":"torn'


def test_what_is_no_file_or_another_users_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(NotOurs, match="is no file"):
            open_own(tmp_path / name, os.O_WRONLY)
    if os.geteuid() == 0:
        (tmp_path / "theirs").touch()
        os.chown(tmp_path / "theirs", 65534, 65534)
        with pytest.raises(NotOurs, match="another user's"):
            open_own(tmp_path / "theirs", os.O_WRONLY)


def test_names_that_are_not_ours_are_no_concern(tmp_path: Path, victim: Path) -> None:
    import re

    link(tmp_path / "own" / "notes.txt", victim)
    assert own_files(tmp_path / "own", re.compile(r"[0-9]{9}\.journal")) == []
    assert own_files(tmp_path / "nowhere", re.compile(".*")) == []
