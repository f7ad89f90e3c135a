"""The ledger: runs by their digest, each written once, and the recordings of every run.

    runs/<digest>/report.json, report.html, state.json, rows.parquet, files.json
    runs/<digest>/seen/<UTC time>-<random>.json
    names/<name>.json

The run of a `gate` has a folder of the same kind for each suite instead of rows. `files.json` has
the SHA-256 of every other file of the run; a run without it is not there. Nothing is ever changed:
what is the same twice is one run with two recordings.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from ragstone.errors import ConfigError, InputError
from ragstone.files import sha256_of
from ragstone.ledger.recording import FORMAT, Recording, file_name, from_json, is_recording
from ragstone.ledger.run_files import Content, RunFiles, open_files
from ragstone.ledger.run_place import PLACE

FILES = "files.json"
# A digest has 64 characters; 8 of them are enough to tell runs apart, and short enough to type.
SHORTEST = 8
# A run that is pruned while it is recorded again is written anew; nobody prunes that often.
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Accepted:
    """A name that was given to a run, and when."""

    name: str
    run: str
    at: str


class RunStore:
    """A ledger at a folder or a URL; it need not exist before something is recorded."""

    def __init__(self, place: str = PLACE, files: RunFiles | None = None) -> None:
        self.place = place
        self.files = files or open_files(place)

    def digests(self) -> list[str]:
        """The digests of all runs."""
        return self.files.folders("runs")

    def has(self, digest: str) -> bool:
        """Whether the run is there, with all of its files."""
        return self.files.read(f"runs/{digest}/{FILES}") is not None

    def add(self, recording: Recording, content: Content) -> None:
        """Records a run: its files where it is new, and the recording in any case."""
        folder = f"runs/{recording.run}"
        name = f"seen/{file_name(recording.at, os.urandom(4).hex())}"
        data = recording.to_json()
        for _ in range(_TRIES):
            if self.files.put_folder(folder, {**content, name: data}, FILES):
                return
            self.files.put(f"{folder}/{name}", data)
            # A run that was pruned in between took the recording with it.
            if self.has(recording.run) and self.files.read(f"{folder}/{name}") is not None:
                return
        raise InputError(f"{self.place}: the run is removed as often as it is recorded; try again")

    def seen(self, digest: str) -> list[str]:
        """The names of the recordings of a run, oldest first."""
        return [name for name in self.files.files(f"runs/{digest}/seen") if is_recording(name)]

    def recordings(self, damaged: list[str] | None = None) -> list[Recording]:
        """Every recording, newest first; what is damaged is told in a sentence each.

        Without a list for these sentences the first one is raised.
        """
        found = []
        for name, digest in self._named_newest_first():
            try:
                read = self.recording(digest, name)
            except InputError as error:
                if damaged is None:
                    raise
                damaged.append(str(error))
            else:
                found += [read] if read is not None else []
        return found

    def recording(self, digest: str, name: str) -> Recording | None:
        """One recording; None where it has been removed in the meantime."""
        path = f"runs/{digest}/seen/{name}"
        data = self.files.read(path)
        if data is None:
            return None
        read = from_json(data, self.named(path))
        if read.run != digest:
            raise InputError(f"{self.named(path)} is damaged: it is a recording of another run")
        return read

    def _named_newest_first(self) -> list[tuple[str, str]]:
        """The file name and the run of every recording; names begin with the time."""
        return sorted(
            ((name, digest) for digest in self.digests() for name in self.seen(digest)),
            reverse=True,
        )

    def newest(self, suite: str | None = None) -> Recording | None:
        """The newest recording, or the newest that has this suite."""
        for name, digest in self._named_newest_first():
            found = self.recording(digest, name)
            if found is not None and (suite is None or suite in found.suites):
                return found
        return None

    def named(self, path: str) -> str:
        """A path of the ledger as a user would write it."""
        return f"{self.place.rstrip('/')}/{path}"

    def names(self) -> dict[str, Accepted]:
        """Every accepted name."""
        found = {}
        for file in self.files.files("names"):
            if file.endswith(".json"):
                name = unquote(file.removesuffix(".json"))
                accepted = self.accepted(name)
                if accepted is not None:
                    found[name] = accepted
        return found

    def accepted(self, name: str) -> Accepted | None:
        """What a name stands for; None where it was never given."""
        path = _name_path(name)
        data = self.files.read(path)
        if data is None:
            return None
        whole = _object(data, self.named(path))
        run, at = whole.get("run"), whole.get("at")
        if whole.get("format") != FORMAT or not isinstance(run, str) or not isinstance(at, str):
            raise InputError(f"{self.named(path)} is damaged: it names no run")
        return Accepted(name, run, at)

    def accept(self, name: str, digest: str, at: str, *, replace: bool = False) -> None:
        """Gives a run a name; a name that is taken is only moved where `replace` says so."""
        must_be_a_name(name)
        whole = {"format": FORMAT, "name": name, "run": digest, "at": at}
        data = (json.dumps(whole, ensure_ascii=False) + "\n").encode()
        if self.files.put(_name_path(name), data, new=not replace):
            return
        held = self.accepted(name)
        if held is not None and held.run == digest:
            return
        now = f" {held.run[:SHORTEST]}" if held else " another run"
        raise ConfigError(f"{name} is the name of{now}; --replace moves it")

    def remove(self, recordings: list[Recording]) -> None:
        """Removes recordings, and every run that has none left and no name."""
        wanted = {(each.run, each.at) for each in recordings}
        named = {each.run for each in self.names().values()}
        for digest in {each.run for each in recordings} - named:
            left = 0
            for name in self.seen(digest):
                found = self.recording(digest, name)
                if found is not None and (digest, found.at) in wanted:
                    self.files.remove(f"runs/{digest}/seen/{name}")
                else:
                    left += 1
            if not left:
                self.files.remove_folder(f"runs/{digest}", FILES)


def must_be_a_name(name: str) -> None:
    """A name must not read as something else that stands for a run."""
    from ragstone.report.text import HIDDEN

    if not name.strip() or name != name.strip() or HIDDEN.search(name) or len(name) > 100:
        raise ConfigError("--name: expected a word such as main, of at most 100 characters")
    if name == "last":
        raise ConfigError("--name last: this word stands for the newest recording")
    if looks_like_a_digest(name):
        raise ConfigError(f"--name {name}: this reads as the first characters of a digest")


def looks_like_a_digest(word: str) -> bool:
    """Whether a word may be the beginning of a digest.

    >>> looks_like_a_digest("0a1b2c3d"), looks_like_a_digest("0a1b2c3"), looks_like_a_digest("main")
    (True, False, False)
    """
    return SHORTEST <= len(word) <= 64 and set(word) <= set("0123456789abcdef")


def _name_path(name: str) -> str:
    return f"names/{quote(name, safe='')}.json"


def _object(data: bytes, name: str) -> dict[str, Any]:
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        whole = None
    if not isinstance(whole, dict):
        raise InputError(f"{name} is damaged: it is no JSON object")
    return whole


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run whose files can be read: one of a ledger, or a folder that was copied out of one.

    `called` is what reports call it: an accepted name, the beginning of its digest, or the name of
    its folder. `folder` is its place inside of `files`.
    """

    called: str
    files: RunFiles
    folder: str
    place: str
    digest: str

    def read(self, name: str) -> bytes:
        """The bytes of one of its files; InputError where it has no such file."""
        data = self.files.read(self._path(name))
        if data is None:
            raise InputError(f"{self.named(name)} does not exist: this is no whole run")
        return data

    def checked(self, name: str) -> bytes:
        """The same; InputError also if they are not what was recorded."""
        data = self.read(name)
        if sha256_of(data) != self.hashes().get(name):
            raise InputError(f"{self.named(name)} is damaged: it is not what was recorded")
        return data

    def local(self, name: str, scratch: Path) -> Path:
        """A path to read one of its files by; InputError if it is not what was recorded."""
        path = self.files.local(self._path(name), scratch)
        if not path.is_file():
            raise InputError(f"{self.named(name)} does not exist: this is no whole run")
        if sha256_of(path) != self.hashes().get(name):
            raise InputError(f"{self.named(name)} is damaged: it is not what was recorded")
        return path

    def named(self, name: str) -> str:
        """A file of the run as a user would write it."""
        return f"{self.place.rstrip('/')}/{self._path(name)}"

    def hashes(self) -> dict[str, str]:
        """The SHA-256 of every file of the run, as it was recorded."""
        whole = _object(self.read(FILES), self.named(FILES))
        files = whole.get("files")
        if whole.get("format") != FORMAT or not isinstance(files, dict):
            raise InputError(f"{self.named(FILES)} is damaged: it lists no files")
        return {str(name): str(said) for name, said in files.items()}

    def suites(self) -> list[str]:
        """The suites that have rows in it; the run of one suite has one of no name."""
        names = (name for name in self.hashes() if name.rpartition("/")[2] == "rows.parquet")
        return [name.rpartition("/")[0] for name in names]

    def seen_files(self) -> dict[str, bytes]:
        """The files of its recordings by name, oldest first."""
        folder = self._path("seen")
        names = [name for name in self.files.files(folder) if is_recording(name)]
        read = {name: self.files.read(f"{folder}/{name}") for name in names}
        return {name: data for name, data in read.items() if data is not None}

    def recordings(self) -> list[Recording]:
        """Its recordings, oldest first."""
        return [
            from_json(data, self.named(f"seen/{name}")) for name, data in self.seen_files().items()
        ]

    def _path(self, name: str) -> str:
        return f"{self.folder}/{name}" if self.folder else name


def files_json(content: Mapping[str, bytes | Path]) -> bytes:
    """What `files.json` holds: the SHA-256 of every file of a run, by name."""
    files = {name: sha256_of(each) for name, each in sorted(content.items())}
    return (json.dumps({"format": FORMAT, "files": files}, indent=1) + "\n").encode()
