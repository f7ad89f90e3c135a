"""Where a ledger keeps its files: a folder of this machine or of a shared disk, or an fsspec URL.

Both give the same few operations, and each is all or nothing: a file has its old bytes or its new
ones, and a folder of files is there with all of them or counts as not there.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from ragstone.errors import InputError
from ragstone.files import make_lasting_folder, sync_folder, write_lines, write_new, writing
from ragstone.ledger.run_place import PLACE
from ragstone.own_files import NotOurs, no_link_to
from ragstone.progress import doing
from ragstone.progress_task import Task
from ragstone.scratch import part_folder

Content = Mapping[str, bytes | Path]
"""The files of a folder by name (`seen/x.json` is in a folder of it): bytes, or a file to copy."""


class RunFiles(Protocol):
    """The files of a ledger, named by their paths inside of it."""

    def folders(self, path: str) -> list[str]:
        """The names of the folders in a folder; none where it does not exist."""

    def files(self, path: str) -> list[str]:
        """The names of the files in a folder; none where it does not exist."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None where it does not exist."""

    def put(self, path: str, data: bytes, *, new: bool = False) -> bool:
        """Writes a file; with `new` only where there is none, and False where there is one."""

    def put_folder(self, path: str, files: Content, last: str) -> bool:
        """Writes a folder of files; False where one is there already.

        A folder counts as there when it has the file `last`.
        """

    def remove(self, path: str) -> None:
        """Removes a file; one that is gone already is no error."""

    def remove_folder(self, path: str, last: str) -> None:
        """Removes a folder with all that is in it; it stops to count as there first."""

    def local(self, path: str, scratch: Path) -> Path:
        """A path of this machine to read a file by; a copy in `scratch` where it is elsewhere."""


def open_files(place: str) -> RunFiles:
    """The files of a ledger, by its folder or URL."""
    scheme, separator, rest = place.partition("://")
    if not separator:
        if place == PLACE:
            # The usual place, which nobody may have named.
            no_link_to(Path(place))
        return FolderFiles(Path(place))
    if scheme in ("file", "local"):
        return FolderFiles(Path(rest))
    return RemoteFiles(place)


class FolderFiles:
    """A folder: files and folders are written under another name, and renamed when complete.

    No link in it is followed, for git keeps links, and a clone may hold any.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def _at(self, path: str) -> Path:
        step = self.root
        for part in PurePosixPath(path).parts:
            step /= part
            if step.is_symlink():
                raise NotOurs(step, "a link")
        return step

    def folders(self, path: str) -> list[str]:
        return self._names(path, os.DirEntry.is_dir)

    def files(self, path: str) -> list[str]:
        return self._names(path, os.DirEntry.is_file)

    def _names(self, path: str, wanted: Any) -> list[str]:
        try:
            with os.scandir(self._at(path)) as entries:
                # What is being written has a hidden name.
                shown = (e for e in entries if not e.name.startswith("."))
                return sorted(e.name for e in shown if wanted(e, follow_symlinks=False))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _not_read(self.root / path, error) from None

    def read(self, path: str) -> bytes | None:
        try:
            return self._at(path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return None
            raise _not_read(self.root / path, error) from None

    def put(self, path: str, data: bytes, *, new: bool = False) -> bool:
        target = self._at(path)
        _make(target.parent)
        if new and not write_new(target, data):
            return False
        if not new:
            write_lines(target, (data,))
        sync_folder(target.parent)
        return True

    def put_folder(self, path: str, files: Content, last: str) -> bool:
        target = self._at(path)
        if (target / last).exists():
            return False
        _make(target.parent)
        with (
            writing(target),
            part_folder(self.root, 0o777) as part,
            doing("", _size(files), "B") as task,
        ):
            for name, content in files.items():
                (part / name).parent.mkdir(parents=True, exist_ok=True)
                _fill(part / name, content, task)
            for folder in {part, *((part / name).parent for name in files)}:
                sync_folder(folder)
            try:
                part.replace(target)
            except OSError:
                # Another run of the same digest was first; what it wrote is the same.
                if (target / last).exists():
                    return False
                raise
            sync_folder(target.parent)
        return True

    def remove(self, path: str) -> None:
        with writing(self.root / path), suppress(FileNotFoundError):
            self._at(path).unlink()

    def remove_folder(self, path: str, last: str) -> None:
        # Under a hidden name nobody reads it any more; what a kill leaves of it is swept later.
        with (
            writing(self.root / path),
            part_folder(self.root, 0o777) as part,
            suppress(FileNotFoundError),
        ):
            self._at(path).replace(part / "removed")

    def local(self, path: str, scratch: Path) -> Path:
        return self._at(path)


def _size(files: Content) -> int:
    """How many bytes all of them have."""
    return sum(
        each.stat().st_size if isinstance(each, Path) else len(each) for each in files.values()
    )


def _fill(path: Path, content: bytes | Path, task: Task) -> None:
    with (
        path.open("wb") as file,
        content.open("rb") if isinstance(content, Path) else BytesIO(content) as given,
    ):
        while chunk := given.read(1 << 20):
            task.done += file.write(chunk)
        file.flush()
        os.fsync(file.fileno())


def _make(folder: Path) -> None:
    with writing(folder):
        make_lasting_folder(folder)


def _not_read(path: Path, error: OSError) -> InputError:
    return InputError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}")


class RemoteFiles:
    """Files behind an fsspec URL. An object store writes one object in one step and knows no
    renaming of folders, so the file that makes a folder count is written last, and removed first.
    """

    def __init__(self, url: str) -> None:
        from ragstone.contracts.remote_files import store_of

        self._store, root = store_of(url, "a ledger")
        self._url, self._root = url, root.rstrip("/")

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}"

    def folders(self, path: str) -> list[str]:
        return self._names(path, "directory")

    def files(self, path: str) -> list[str]:
        return self._names(path, "file")

    def _names(self, path: str, kind: str) -> list[str]:
        with self._told():
            # A listing that was kept from before would hide what another run has written.
            self._store.invalidate_cache()
            try:
                found = self._store.ls(self._at(path), detail=True)
            except FileNotFoundError:
                return []
        names = (PurePosixPath(e["name"]).name for e in found if e["type"] == kind)
        return sorted(name for name in names if not name.startswith("."))

    def read(self, path: str) -> bytes | None:
        with self._told():
            try:
                return bytes(self._store.cat_file(self._at(path)))
            except FileNotFoundError:
                return None

    def put(self, path: str, data: bytes, *, new: bool = False) -> bool:
        with self._told():
            if new and self._store.exists(self._at(path)):
                return False
            self._store.pipe_file(self._at(path), data)
        return True

    def put_folder(self, path: str, files: Content, last: str) -> bool:
        with self._told():
            if self._store.exists(self._at(f"{path}/{last}")):
                return False
            # What is seen of a run is written when all of the run is there.
            seen = [name for name in files if name.startswith("seen/")]
            first = [name for name in files if name not in (last, *seen)]
            with doing("", _size(files), "B") as task:
                for name in (*first, last, *seen):
                    content = files[name]
                    data = content.read_bytes() if isinstance(content, Path) else content
                    self._store.pipe_file(self._at(f"{path}/{name}"), data)
                    task.done += len(data)
        return True

    def remove(self, path: str) -> None:
        with self._told(), suppress(FileNotFoundError):
            self._store.rm_file(self._at(path))

    def remove_folder(self, path: str, last: str) -> None:
        self.remove(f"{path}/{last}")
        with self._told(), suppress(FileNotFoundError):
            self._store.rm(self._at(path), recursive=True)

    def local(self, path: str, scratch: Path) -> Path:
        from ragstone.scratch import keep

        data = self.read(path)
        if data is None:
            raise InputError(f"{self._url}/{path} does not exist")
        return keep(scratch, (data,))

    def _told(self) -> _Told:
        return _Told(self._url)


class _Told:
    """Makes one sentence of whatever a store at a URL refuses: each kind has errors of its own."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: Any, trace: Any) -> None:
        if isinstance(error, Exception) and not isinstance(error, InputError):
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"{self.url}: the store answered: {said}") from error
