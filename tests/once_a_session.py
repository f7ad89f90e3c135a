"""What takes long and changes nothing is made once a session, by the worker that asks first."""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from command import Ran, ragstone
from kept.keep import KEPT

from ragstone.file_lock import lock

# The folder that all workers of a session share: conftest.py makes it, and removes it.
SHARED = "ONCE_A_SESSION"


def once(name: str, make: Callable[[Path], Any]) -> tuple[Any, Path]:
    """What `make` returned of a folder of its own, and this folder; nobody changes it later."""
    shared = Path(os.environ[SHARED])
    folder, returned = shared / name, shared / f"{name}.pickle"
    # Whoever asks meanwhile waits.
    with (shared / f"{name}.lock").open("w") as locked:
        lock(locked.fileno(), wait=True)
        if not returned.exists():
            # A worker that died may have left half of it.
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            returned.write_bytes(pickle.dumps(make(folder)))
    return pickle.loads(returned.read_bytes()), folder


def ran_once(*words: str) -> tuple[Ran, Path]:
    """How a command over the kept files ended, and the folder that it ran in."""

    def run(folder: Path) -> Ran:
        shutil.copytree(KEPT / "files", folder, dirs_exist_ok=True)
        return ragstone(*words, cwd=folder)

    return once(hashlib.sha256("\0".join(words).encode()).hexdigest(), run)
