"""Where the lock of a gold file lies. Every run looks for one, and most runs find none."""

from __future__ import annotations

from pathlib import Path

from ragstone.suites.declaration import O, Work

_PACKED = (".gz", ".zst", ".zstd")
_KINDS = (".jsonl", ".ndjson", ".json", ".parquet", ".tsv", ".csv", ".txt", ".qrels")


def lock_path(gold: str | Path) -> Path:
    """Beside the gold file, under its name without what it is written as.

    >>> [str(lock_path(name)) for name in ("eval/gold.jsonl", "gold.v2.JSONL.gz", "gold")]
    ['eval/gold.lock', 'gold.v2.lock', 'gold.lock']
    """
    path = Path(gold)
    name = path.name
    for suffixes in (_PACKED, _KINDS):
        ending = next((end for end in suffixes if name.lower().endswith(end)), "")
        name = name[: len(name) - len(ending)] or name
    return path.with_name(f"{name}.lock")


def lock_beside(name: str) -> Path | None:
    """The lock beside a file; standard input, data in memory and no name at all have none.

    >>> lock_beside(""), lock_beside("-"), lock_beside("/")
    (None, None, None)
    """
    if name.startswith("<") or name == "-" or not Path(name).name:
        return None
    path = lock_path(name)
    try:
        return path if path.is_file() else None
    except OSError:
        # The name is as long as names may be, and that of its lock would be longer.
        return None


def has_lock(work: Work[O]) -> bool:
    """Whether a lock lies beside any gold file of a run."""
    return any(
        lock_beside(source.name) is not None
        for given in work.suite.inputs
        if given.frozen
        for source in work.sources.get(given.name, ())
    )
