"""What a report was made of: enough to make it again, and to tell which input has changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragstone.contracts.sources import Source
from ragstone.files import sha256_of
from ragstone.ledger.run_place import base_of, found_path, kept_path
from ragstone.ledger.run_store import FILES
from ragstone.ledger.run_words import named_digest
from ragstone.suites.option_fields import declared
from ragstone.suites.options import Options, plain
from ragstone.suites.settings_tables import SliceGates

# Where a run is kept is no part of what it is.
_RECORDING = ("record", "label", "ledger", "ledger_texts")


@dataclass(frozen=True, slots=True)
class MadeOf:
    """What a run that is to be recorded was made of: its options, and what was in force."""

    options: Options
    held: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ComparedWith:
    """What a run was compared with: a file, or a run of a ledger by its digest and its name."""

    word: str
    run: str | None = None
    called: str = ""

    def held(self, base: Path) -> dict[str, Any]:
        path = Path(self.word)
        if path.is_dir():
            path /= FILES
        if path.is_file():
            files = [_hashed(str(path), path, base)]
            return {"run": None, "given": kept_path(self.word, base), "files": files}
        if self.run is not None:
            return {"run": self.run, "given": named_digest(self.called, self.run), "files": []}
        return {"run": None, "given": kept_path(self.word, base), "files": []}


def made_of(
    inputs: Mapping[str, Any],
    sources: Mapping[str, tuple[Source, ...]],
    options: Options,
    before: ComparedWith | None,
) -> MadeOf:
    """What was in force, as plain data: the files behind every input, and every option.

    `inputs` are as they were given; `before` is what the run was compared with, if anything. The
    files are read here, while copies of standard input are still there.
    """
    base = base_of(options.ledger)
    held = {
        "inputs": {
            name: {
                "given": _words(inputs.get(name), base),
                "files": [_file(source, base) for source in found],
            }
            for name, found in sources.items()
        },
        "options": {
            each.name: _plain(getattr(options, each.name))
            for each in declared(type(options))
            if each.name not in _RECORDING
        },
        "baseline": before and before.held(base),
    }
    return MadeOf(options, held)


def _plain(value: object) -> object:
    if isinstance(value, tuple) and value and isinstance(value[0], SliceGates):
        return [[dict(each.where), dict(each.gates)] for each in value]
    return plain(value)


def _words(given: Any, base: Path) -> Any:
    """What was given, as words; None for what only Python has, such as a data frame."""
    if isinstance(given, Mapping):
        return {str(name): _words(each, base) for name, each in given.items()}
    if isinstance(given, str | Path):
        return kept_path(str(given), base) if str(given) != "-" else "-"
    if isinstance(given, Sequence) and all(isinstance(each, str | Path) for each in given):
        return [_words(each, base) for each in given]
    return None


def words_found(kept: Any, base: Path) -> Any:
    """What `held` kept of an input, seen from the working folder."""
    if isinstance(kept, Mapping):
        return {name: words_found(each, base) for name, each in kept.items()}
    if isinstance(kept, list):
        return [words_found(each, base) for each in kept]
    return kept if kept == "-" else found_path(str(kept), base)


def _file(source: Source, base: Path) -> dict[str, object]:
    """A file of an input; what came from elsewhere has no path."""
    if source.name.startswith("<") or not Path(source.name).is_file():
        return {"path": None, **_hash(source.path)}
    return _hashed(source.name, source.path, base)


def _hashed(name: str, path: Path, base: Path) -> dict[str, object]:
    return {"path": kept_path(name, base), **_hash(path)}


def _hash(path: Path) -> dict[str, object]:
    return {"sha256": sha256_of(path), "bytes": path.stat().st_size}
