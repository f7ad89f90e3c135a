"""Reads a report back from the ledger, with where it came from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ragstone.ledger.run_store import FoundRun

if TYPE_CHECKING:
    from ragstone.ledger.recording import Recording
    from ragstone.report.model import Report


def read_state(run: FoundRun, name: str = "state.json") -> Report:
    """A report as it was recorded; InputError where its file is not what was recorded."""
    from ragstone.report.saved import from_state

    return from_state(run.checked(name))


def kept_report(run: FoundRun) -> Report:
    """The report of a run, every format of which says where it came from."""
    recordings = run.recordings()
    report = read_state(run)
    if not recordings:
        return report
    last = recordings[-1]
    return replace(report, provenance=provenance(last), labels=files_of(last))


def files_of(recording: Recording) -> tuple[tuple[str, str], ...]:
    """The files of each input, by the name they had, as the foot of a page shows them."""
    named: dict[str, dict[str, None]] = {}
    for held in recording.held.values():
        for name, given in held["inputs"].items():
            paths = (each["path"] for each in given["files"] if each["path"])
            named.setdefault(name, {}).update(dict.fromkeys(paths))
    return tuple((name, ", ".join(paths)) for name, paths in named.items() if paths)


def provenance(recording: Recording) -> str:
    """When a run was recorded, and at which commit.

    `recorded 2026-11-17 05:30 UTC at 1a2b3c4 of main, with changes (model=v2)`
    """
    said = f"recorded {recording.at[:10]} {recording.at[11:16]} UTC"
    if recording.commit is not None:
        said += f" at {recording.commit[:7]}"
        said += f" of {recording.branch}" if recording.branch else ""
        said += ", with changes" if recording.dirty else ""
    labels = ", ".join(f"{name}={text}" for name, text in recording.labels.items())
    return f"{said} ({labels})" if labels else said
