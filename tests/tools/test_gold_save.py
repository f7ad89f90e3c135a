"""Saving items into a gold file: every other byte stays, and nobody's work is lost."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from builders import gold, write_jsonl
from command import Folder, nobody_special, ragstone
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.errors import InputError
from ragstone.suites.gold_lock import read_lock
from ragstone.tools.gold_draft import Draft, draft_of, item_of
from ragstone.tools.gold_save import GoldChanged, SignOff, changed_by, open_gold, save
from ragstone.tools.gold_text import gold_text, with_items

ANN = SignOff("Ann Lee", "seen in the logs", "2026-11-18")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
BLANK = st.sampled_from(["", " ", "\t", "  "])


@st.composite
def answer_items(draw: st.DrawFn, qid: str) -> dict[str, Any]:
    """An item of answers gold, with fields in any order and fields that nobody knows."""
    made = {
        "qid": qid,
        "answerable": draw(st.booleans()),
        "question": draw(st.none() | TEXTS),
        "gold_claim_substr": draw(st.none() | st.lists(TEXTS, max_size=3)),
        "gold_citations": draw(
            st.none() | st.lists(TEXTS, max_size=3) | st.dictionaries(TEXTS, st.integers(0, 3))
        ),
        "paraphrases": draw(st.none() | st.lists(TEXTS, max_size=2)),
        "tags": draw(st.none() | st.lists(TEXTS, max_size=2)),
        "owner": draw(JSON),
    }
    names = draw(st.permutations([*made]))
    return {name: made[name] for name in names if made[name] is not None or name == "owner"}


@st.composite
def gold_files(draw: st.DrawFn) -> tuple[bytes, list[dict[str, Any]]]:
    """A valid gold file of any spacing, with blank lines, line ends of both kinds, or no last."""
    items = [draw(answer_items(f"Q{n}")) for n in range(draw(st.integers(0, 4)))]
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    text = ""
    for item in items:
        text += draw(st.sampled_from(["", ending, f"  {ending}"])) + draw(BLANK)
        separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]))
        ascii_only = draw(st.booleans())
        text += json.dumps(item, separators=separators, ensure_ascii=ascii_only)
        text += draw(BLANK) + ending
    if draw(st.booleans()):
        text = text.removesuffix(ending)
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode(), items


@given(gold_files(), TEXTS)
def test_an_added_item_leaves_every_byte_before_it(
    made: tuple[bytes, list[dict[str, Any]]], question: str
) -> None:
    data, items = made
    new = {"qid": "new", "question": question, "answerable": True}
    after = with_items(gold_text("gold.jsonl", data), [new])
    assert after.startswith(data)
    found = gold_text("gold.jsonl", after)
    assert [*found.items.values()] == [*items, new]
    if items:
        # Whoever ends lines goes on to do so, and whoever does not, does not.
        assert after.endswith(b"\n") == data.endswith(b"\n")


@given(gold_files(), st.data())
def test_a_changed_item_leaves_all_other_lines(
    made: tuple[bytes, list[dict[str, Any]]], data: st.DataObject
) -> None:
    before, items = made
    if not items:
        return
    at = data.draw(st.integers(0, len(items) - 1))
    changed = {**items[at], "tags": ["changed"]}
    after = with_items(gold_text("gold.jsonl", before), [changed])
    others = [line for line in before.split(b"\n") if f'"Q{at}"'.encode() not in line]
    assert [line for line in after.split(b"\n") if f'"Q{at}"'.encode() not in line] == others
    assert len(after.split(b"\n")) == len(before.split(b"\n"))
    expected = [*items[:at], changed, *items[at + 1 :]]
    assert [*gold_text("gold.jsonl", after).items.values()] == expected


@given(answer_items("A"))
def test_a_draft_that_nobody_edits_changes_nothing(item: dict[str, Any]) -> None:
    assert item_of(draft_of(item), item) == item
    assert [*item_of(draft_of(item), item)] == [*item]


def test_what_is_edited_is_changed_and_nothing_else() -> None:
    item = {"notes": 1, "qid": "A", "answerable": True, "gold_citations": {"p1": 3, "p2": 0}}
    draft = draft_of(item)
    assert draft.citations == ("p1",)
    edited = Draft("A", "Why?", citations=("p1", "p3"), phrases=(" so  it\nis ", ""))
    assert item_of(edited, item) == {
        "notes": 1,
        "qid": "A",
        "answerable": True,
        "gold_citations": {"p1": 3, "p2": 0, "p3": 1},
        "question": "Why?",
        "gold_claim_substr": ["so it is"],
    }


# --- on the disk ---


@pytest.fixture
def place(folder: Folder) -> Path:
    return folder.write("gold.jsonl", [gold("A1"), gold("A2", answerable=False)])


def saved(path: Path, *items: dict[str, Any], since: str | None = None, **more: Any) -> Any:
    return save(
        str(path), items, open_gold(str(path)).digest if since is None else since, ANN, **more
    )


def test_a_frozen_gold_set_is_frozen_again(place: Path, folder: Folder) -> None:
    ragstone("gold", "freeze", place, "--who", "Ben", "--why", "new", cwd=folder.work)
    place.chmod(0o640)
    made = saved(place, gold("A3"), gold("A1", tags=["x"]))
    assert made.changed.found.counts == "1 added, 1 changed"
    assert made.lock == place.with_suffix(".lock")
    assert place.stat().st_mode & 0o777 == 0o640
    lock = read_lock(made.lock)
    last = lock.freezes[-1]
    assert SignOff(last.who, last.why, last.at) == ANN
    assert (last.added, last.changed, last.removed) == (1, 1, 0)
    # It is what `gold freeze` would have written.
    assert ragstone("gold", "verify", place, cwd=folder.work).code == 0
    again = ragstone("gold", "freeze", place, "--who", "Ben", "--why", "so", cwd=folder.work)
    assert "nothing changed since the last freeze" in again.text


def test_a_gold_set_without_a_lock_is_frozen_if_that_is_asked_for(place: Path) -> None:
    assert saved(place, gold("A3")).lock is None
    assert not place.with_suffix(".lock").exists()
    assert saved(place, freeze=True).lock == place.with_suffix(".lock")
    assert read_lock(place.with_suffix(".lock")).freezes[0].added == 3


def test_whoever_comes_second_is_told_and_saves_on_top(place: Path) -> None:
    begun = open_gold(str(place))
    saved(place, gold("mine"))
    with pytest.raises(GoldChanged) as told:
        saved(place, gold("theirs"), since=begun.digest)
    now = told.value.now
    assert changed_by(begun, [now.items["mine"]]).found.added == ("mine",)
    saved(place, gold("theirs"), since=now.digest)
    assert [*open_gold(str(place)).items] == ["A1", "A2", "mine", "theirs"]


def test_changes_that_nobody_signed_off_are_not_signed_off_by_the_way(
    place: Path, folder: Folder
) -> None:
    ragstone("gold", "freeze", place, "--who", "Ben", "--why", "new", cwd=folder.work)
    write_jsonl(place, [gold("A1"), gold("A2", tags=["by hand"])])
    before = place.read_bytes()
    with pytest.raises(InputError, match=r"not as it was frozen: 1 changed \(A2\).*gold freeze"):
        saved(place, gold("A3"))
    assert place.read_bytes() == before


def test_a_link_stays_a_link(place: Path, folder: Folder) -> None:
    link = folder.work / "link.jsonl"
    link.symlink_to("gold.jsonl")
    saved(link, gold("A3"))
    assert link.is_symlink()
    assert [*open_gold(str(place)).items] == ["A1", "A2", "A3"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("gold.jsonl.gz", b"\x1f\x8b\x08\x00" + b"\0" * 20, "damaged"),
        ("gold.csv", b"qid,question,answerable\nA,Why?,true\n", "a table"),
        ("gold.json", b'[{"qid": "A", "answerable": true}]', "a JSON array"),
        ("gold.jsonl", b'{"qid": "A"\n', "json"),
        ("gold.jsonl", b'{"qid":"A","answerable":true}\n' * 2, "already given"),
    ],
)
def test_other_files_are_refused_in_one_sentence(
    folder: Folder, name: str, content: bytes, said: str
) -> None:
    path = folder.write(name, content)
    with pytest.raises(InputError, match=said):
        open_gold(str(path))
    for name in ("-", "https://example.org/gold.jsonl", "nowhere.jsonl"):
        with pytest.raises(InputError):
            open_gold(name)


def test_packed_and_parquet_gold_is_not_edited(folder: Folder, place: Path) -> None:
    import gzip

    import duckdb

    packed = folder.write("packed.jsonl.gz", gzip.compress(place.read_bytes()))
    table = folder.work / "gold.parquet"
    duckdb.sql(f"copy (from read_json('{place}')) to '{table}'")
    for path, said in ((packed, "a packed file"), (table, "a Parquet file")):
        with pytest.raises(InputError, match=f"{said}: items are saved into JSON Lines"):
            open_gold(str(path))


def test_a_read_only_file_or_folder_is_left_alone(place: Path, folder: Folder) -> None:
    before, begun = place.read_bytes(), open_gold(str(place)).digest
    place.chmod(0o444)
    with pytest.raises(InputError, match="is read-only"):
        saved(place, gold("A3"))
    place.chmod(0o644)
    folder.work.chmod(0o555)
    try:
        with nobody_special(folder), pytest.raises(InputError, match="permission was denied"):
            saved(place, gold("A3"), since=begun)
    finally:
        folder.work.chmod(0o755)
    assert place.read_bytes() == before


SAVER = """
import sys, time
from ragstone.tools.gold_save import GoldChanged, SignOff, open_gold, save
path, who, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
for number in range(count):
    item = {"qid": f"{who}-{number}", "question": "Why? " * 200, "answerable": True}
    since = open_gold(path).digest
    while True:
        try:
            save(path, [item], since, SignOff(who, "because", "2026-11-18"))
            break
        except GoldChanged as told:
            since = told.now.digest
    print(number, flush=True)
"""


def savers(place: Path, *who: str, count: int) -> list[subprocess.Popen[bytes]]:
    words = [sys.executable, "-c", SAVER, str(place)]
    return [subprocess.Popen([*words, each, str(count)], stdout=subprocess.PIPE) for each in who]


def test_processes_that_save_at_once_lose_nothing(place: Path, folder: Folder) -> None:
    ragstone("gold", "freeze", place, "--who", "Ben", "--why", "new", cwd=folder.work)
    running = savers(place, "ann", "ben", "cem", count=12)
    for each in running:
        each.communicate(timeout=120)
        assert each.returncode == 0
    expected = {"A1", "A2", *(f"{who}-{n}" for who in ("ann", "ben", "cem") for n in range(12))}
    assert {*open_gold(str(place)).items} == expected
    assert ragstone("gold", "verify", place, cwd=folder.work).code == 0
    assert len(read_lock(place.with_suffix(".lock")).freezes) == 37


def test_a_kill_leaves_the_old_file_or_the_new_one(place: Path, folder: Folder) -> None:
    """And where it came between the gold file and its lock, that is told and can be mended."""
    chance = random.Random(7)
    ragstone("gold", "freeze", place, "--who", "Ben", "--why", "new", cwd=folder.work)
    for trial in range(12):
        before = open_gold(str(place))
        (child,) = savers(place, f"t{trial}", count=1000)
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        time.sleep(chance.uniform(0.0, 0.12))
        child.send_signal(signal.SIGKILL)
        said = child.communicate()[0].split()
        after = open_gold(str(place))
        # Every item that was said to be saved is there, at most one more, and all that was before.
        new = [*after.items][len(before.items) :]
        assert [*after.items][: len(before.items)] == [*before.items]
        assert len(said) <= len(new) <= len(said) + 1
        assert place.read_bytes().startswith(before.text.data)
        if after.unlike:
            assert after.unlike.added == (new[-1],)
            mended = ragstone(
                "gold", "freeze", place, "--who", "Ben", "--why", "it was killed", cwd=folder.work
            )
            assert mended.code == 0
    # The next process sweeps what a killed one left.
    (last,) = savers(place, "last", count=1)
    last.communicate(timeout=60)
    assert {path.name for path in folder.work.iterdir()} == {"gold.jsonl", "gold.lock"}


def test_a_stop_between_the_file_and_its_lock_is_told_and_mended(
    place: Path, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign = ("--who", "Ben", "--why", "the last save was stopped")
    ragstone("gold", "freeze", place, *sign, cwd=folder.work)
    renamed = Path.replace

    def only_the_first(part: Path, target: Path) -> Path:
        if target.name == "gold.lock":
            raise KeyboardInterrupt
        return renamed(part, target)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "replace", only_the_first)
        saved(place, gold("A3"))
    assert open_gold(str(place)).unlike.added == ("A3",)
    assert ragstone("gold", "verify", place, cwd=folder.work).code == 1
    with pytest.raises(InputError, match=r"1 added \(A3\).*gold freeze .* signs it off"):
        saved(place, gold("A4"))
    ragstone("gold", "freeze", place, *sign, cwd=folder.work)
    saved(place, gold("A4"))
    assert ragstone("gold", "verify", place, cwd=folder.work).code == 0


def test_a_full_disk_leaves_both_files_as_they_were(
    place: Path, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ragstone("gold", "freeze", place, "--who", "Ben", "--why", "new", cwd=folder.work)
    before = [place.read_bytes(), place.with_suffix(".lock").read_bytes()]
    synced = os.fsync
    calls: list[int] = []

    def full_at_the_second(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        synced(descriptor)

    monkeypatch.setattr(os, "fsync", full_at_the_second)
    with pytest.raises(InputError, match="the disk is full"):
        saved(place, gold("A3"))
    assert [place.read_bytes(), place.with_suffix(".lock").read_bytes()] == before


@settings(max_examples=20)
@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=6))
def test_saving_one_by_one_is_saving_at_once(qids: list[str]) -> None:
    text = gold_text("gold.jsonl", b'{"qid":"a","answerable":true}\r\n')
    items = [{"qid": qid, "answerable": True, "n": n} for n, qid in enumerate(qids)]
    one = text
    for item in items:
        one = gold_text("gold.jsonl", with_items(one, [item]))
    last = {str(item["qid"]): item for item in items}
    assert dict(one.items) == {"a": {"qid": "a", "answerable": True}, **last}
