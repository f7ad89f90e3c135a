"""Keeps a report in the ledger: its files once, and the recording every time."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.contracts.remote_files import without_secrets
from ragstone.errors import ConfigError
from ragstone.gates.gate import Judged
from ragstone.ledger.git_facts import git_facts
from ragstone.ledger.recording import Recording, written_at
from ragstone.ledger.run_files import Content
from ragstone.ledger.run_store import FILES, RunStore, files_json
from ragstone.measure.metric import Measured
from ragstone.progress import doing
from ragstone.report.private_texts import with_texts
from ragstone.suites.options import Options, Texts

if TYPE_CHECKING:
    from ragstone.report.model import Report

_STRICTEST: tuple[Texts, ...] = ("none", "clip", "all")


def now() -> datetime.datetime:
    """The moment of a recording."""
    return datetime.datetime.now(datetime.UTC)


def texts_of(options: Options) -> Texts:
    """How much of the texts a run keeps: never more than its report shows."""
    return next(each for each in _STRICTEST if each in (options.ledger_texts, options.report_texts))


def recorded_texts(options: Options) -> Texts | None:
    """The same where the run is to be recorded; None where it is not."""
    return texts_of(options) if options.record else None


def must_be_recordable(options: Options) -> None:
    """Says before anything is scored what would keep the run from being recorded."""
    labels_of(options.label)
    if options.record:
        store = RunStore(options.ledger)
        place = Path(options.ledger)
        if "://" not in options.ledger and place.exists() and not place.is_dir():
            raise ConfigError(f"{place} is a file, and the ledger is a folder; name another place")
        store.digests()


def labels_of(words: Sequence[str]) -> dict[str, str]:
    """`model=v2` as name and text.

    >>> labels_of(["model=v2", "who=ann"])
    {'model': 'v2', 'who': 'ann'}
    """
    found: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.strip() or not text.strip():
            raise ConfigError(f"--label {word!r}: expected NAME=TEXT, such as model=v2")
        if name.strip() in found:
            raise ConfigError(f"--label {name.strip()}: this label is given twice")
        found[name.strip()] = text.strip()
    return found


def record(report: Report, options: Options, given: Sequence[str] = ()) -> Recording | None:
    """Keeps the report of one suite, or of several, where the options say; returns what is kept.

    A report of gold that is not as it was frozen is a look, and is not kept.
    """
    if report.unfrozen:
        return None
    store = RunStore(options.ledger)
    made = recording_of(report, options, given)
    with doing("", 2, "steps") as task:
        with task.piece():
            content = content_of(report, texts_of(options))
        with task.piece():
            store.add(made, content)
    return made


def recording_of(report: Report, options: Options, given: Sequence[str] = ()) -> Recording:
    """That this run was made now, from what, and what it came to."""
    facts = git_facts()
    parts = report.parts or (report,)
    return Recording(
        run=report.digest,
        at=written_at(now()),
        suite=report.suite,
        version=report.version,
        decision=report.decision,
        texts=texts_of(options),
        given=tuple(map(without_secrets, given)),
        held={part.suite: part.made_of.held for part in parts if part.made_of is not None},
        commit=facts.commit,
        branch=facts.branch,
        dirty=facts.dirty,
        labels=labels_of(options.label),
        gates={gate.name: _gate(gate) for gate in report.gates},
        metrics={name: _number(each) for name, each in report.metrics.items()},
    )


def _gate(gate: Judged) -> dict[str, Any]:
    return {
        "metric": gate.metric,
        "op": gate.threshold.op,
        "threshold": gate.threshold.value,
        "value": gate.value,
        "interval": gate.interval,
        "numerator": gate.numerator,
        "denominator": gate.denominator,
        "status": gate.status,
        "proven": gate.proven,
    }


def _number(found: Measured) -> dict[str, Any]:
    return {
        "value": found.value,
        "interval": found.interval,
        "numerator": found.numerator,
        "denominator": found.denominator,
        "better": found.metric.better,
        "unit": getattr(found.metric, "unit", ""),
    }


def content_of(report: Report, texts: Texts) -> Content:
    """The files of a run, with `files.json` over all of them."""
    made = [*((f"{part.suite}/", part) for part in report.parts), ("", report)]
    files: dict[str, bytes | Path] = {}
    with doing("", len(made) * len(_WRITTEN), "files") as task:
        for folder, each in made:
            # One run may be recorded under many labels, and is the same files each time.
            private = replace(with_texts(each, texts), labels=())
            for name, written in _WRITTEN.items():
                with task.piece():
                    files[f"{folder}{name}"] = written(private).encode()
            if each.kept is not None and not each.parts:
                files[f"{folder}rows.parquet"] = each.kept.recorded
    return {**files, FILES: files_json(files)}


# The files of a report, and what each holds of it.
_WRITTEN: dict[str, Callable[[Report], str]] = {
    "report.json": lambda report: report.to_json(),
    "report.html": lambda report: report.to_html(),
    "state.json": lambda report: report.to_state(),
}
