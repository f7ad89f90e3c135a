"""What scoring consists of, and about how long each step of it takes: so a bar knows when all of it
will be done. Nothing else depends on these numbers."""

from __future__ import annotations

from ragstone.contracts.sources import size_of
from ragstone.suites.declaration import O, Work
from ragstone.suites.lock_place import has_lock

# Measured on a million answers (bench/speed.py many), in hundredths of what scoring them takes.
_STEPS = {
    "translating": 80,
    "reading": 45,
    "lock": 10,
    "slicing": 10,
    "ordering": 20,
    "scoring": 30,
    "hashing": 12,
    "measuring": 13,
}
# What takes other suites longer or less long than that (checks/phases.py).
_OWN: dict[str, dict[str, float]] = {
    "retrieval": {"reading": 60, "scoring": 105, "measuring": 26, "keeping": 45},
    "canary": {"reading": 250, "scoring": 290, "hashing": 24, "measuring": 550},
    "context": {"reading": 1580, "keeping": 55},
    "latency": {"reading": 180, "scoring": 24, "hashing": 22, "measuring": 310},
    "agreement": {"reading": 45, "scoring": 100, "measuring": 75, "keeping": 20},
    "stability": {"reading": 95, "scoring": 275, "measuring": 160, "keeping": 25},
}
_A_SLICED_FIELD = 60
_EVERY_OFFENDER = 200
_LISTING = 10
_KEEPING = 110


def steps_of(work: Work[O], *, lists: bool, kept: bool) -> dict[str, float]:
    """The steps of a run, in their order, each with about how long it takes beside the others."""
    options = work.options
    own = _OWN.get(work.suite.name, {})
    steps: dict[str, float] = {name: own.get(name, usual) for name, usual in _STEPS.items()}
    if not has_lock(work):
        del steps["lock"]
    if not options.slice_fields:
        del steps["slicing"]
    if not options.memory_limit:
        del steps["ordering"]
    if not (options.from_ or options.gold_from):
        del steps["translating"]
    steps["measuring"] += _A_SLICED_FIELD * len(options.by)
    if options.limit is None:
        # Every row that costs something is listed, and not the first few.
        steps["measuring"] += _EVERY_OFFENDER
    if lists:
        steps["listing"] = _LISTING
    if kept:
        steps["keeping"] = own.get("keeping", _KEEPING)
    return steps


def bytes_read(work: Work[O]) -> int:
    """About how many bytes the inputs hold."""
    return size_of([each for some in work.sources.values() for each in some])


def amount_of(work: Work[O]) -> tuple[int, str]:
    """How much is judged, and in which unit: lines of every system, or of the one input there is.

    A suite that keeps no count of its lines is told of by its systems.
    """
    own = sum(work.lines.get(arm.table, 0) for arm in work.arms)
    rows = own or max(work.lines.values(), default=0)
    return (rows, "rows") if rows else (len(work.arms), "systems")
