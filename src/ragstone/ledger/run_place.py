"""Where the ledger is, and how a run remembers the paths of its inputs.

A ledger that stands at its usual place, `.ragstone` beside ragstone.toml, goes with the files
around it: paths are kept as seen from there, so that a run is found again in another clone. Paths
of a ledger that stands elsewhere are kept as seen from the working folder.
"""

from __future__ import annotations

import os
from pathlib import Path

PLACE = ".ragstone"


def base_of(place: str) -> Path:
    """The folder that the paths of a ledger's runs are seen from."""
    folder = Path(place).absolute()
    return folder.parent if "://" not in place and folder.name == PLACE else Path.cwd()


def kept_path(word: str, base: Path) -> str:
    """A path or glob of the user's as a run remembers it: below `base`, or absolute; or a URL."""
    if "://" in word:
        from ragstone.contracts.remote_files import without_secrets

        return without_secrets(word)
    whole = Path(os.path.normpath(Path(word).absolute()))
    return whole.relative_to(base).as_posix() if whole.is_relative_to(base) else str(whole)


def found_path(kept: str, base: Path) -> str:
    """The same path, seen from the working folder."""
    if "://" in kept:
        return kept
    whole = base / kept
    here = Path.cwd()
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(whole)
