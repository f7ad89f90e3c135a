"""Makes a recorded run again from its inputs, and says whether it comes to the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone import scratch
from ragstone._version import __version__
from ragstone.api import judged, options_given
from ragstone.contracts.sources import find
from ragstone.errors import InputError, RagstoneError
from ragstone.files import sha256_of
from ragstone.ledger.record_run import content_of
from ragstone.ledger.recording import Recording
from ragstone.ledger.run_store import FILES, FoundRun
from ragstone.progress import counting, doing
from ragstone.report.build import combine
from ragstone.suites.gate_plan import suite_called
from ragstone.suites.made_of import words_found

if TYPE_CHECKING:
    from ragstone.report.model import Report

ROWS = "rows.parquet"


@dataclass(slots=True)
class Verified:
    """What was found: `differs` names whatever is not as it was recorded, `remarks` what does not
    matter to the result. `needs` is the version that can make the run again, if this one cannot,
    and `cannot` why nobody can."""

    run: str
    differs: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    needs: str | None = None
    cannot: str | None = None

    @property
    def exit_code(self) -> int:
        """0: the bytes agree; 1: something differs; 3: it cannot be told here."""
        if self.differs:
            return 1
        return 3 if self.needs or self.cannot else 0


# About how long each takes beside the others.
STEPS = {"stored": 5, "inputs": 5, "judging": 75, "comparing": 15}


def verify(run: FoundRun, base: Path, place: str, threads: int | None = None) -> Verified:
    """The whole check; `base` is the folder that its paths are seen from, `place` its ledger."""
    found = Verified(run.digest)
    _check_stored(run, found)
    recordings = run.recordings()
    if not recordings:
        raise InputError(f"{run.named('seen')} holds no recording: this is no whole run")
    recording = recordings[-1]
    if recording.version != __version__:
        found.needs = recording.version
        return found
    changed, gone = _changed_files(recording, base, found)
    if gone or found.cannot:
        found.differs += changed
        return found
    try:
        report = _made_again(recording, base, place, threads)
    except RagstoneError as error:
        found.differs += changed or [f"the run cannot be made again: {error}"]
        return found
    _compare(run, recording, report, changed, found)
    return found


def _check_stored(run: FoundRun, found: Verified) -> None:
    """Every file of the run still has the bytes that were recorded."""
    kept = run.hashes().items()
    for name, expected in counting(kept, "looking at the run", "files", step="stored"):
        try:
            data = run.read(name)
        except InputError as error:
            found.differs.append(str(error))
            continue
        if sha256_of(data) != expected:
            found.differs.append(f"{run.named(name)} was changed after it was recorded")


def _changed_files(recording: Recording, base: Path, found: Verified) -> tuple[list[str], bool]:
    """A sentence for each input file that changed, is gone or is new; and whether one is gone."""
    changed: list[str] = []
    gone = False
    with scratch.folder() as folder:
        every = [(suite, *each) for suite, held in recording.held.items() for each in _inputs(held)]
        for suite, what, kept in counting(every, "looking at the inputs", "inputs", step="inputs"):
            if kept["given"] is None or _is_not_kept(kept["given"]):
                found.cannot = f"the {what} of {suite} did not come from files that are kept"
                continue
            for path, sentence in _differences(what, kept, base, folder):
                gone = gone or not path.exists()
                changed += [] if sentence in changed else [sentence]
    return changed, gone


def _inputs(held: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from held["inputs"].items()
    baseline = held.get("baseline")
    if baseline is not None and baseline["run"] is None:
        yield "baseline", baseline


def _is_not_kept(given: Any) -> bool:
    if isinstance(given, Mapping):
        return any(map(_is_not_kept, given.values()))
    if isinstance(given, list):
        return any(map(_is_not_kept, given))
    # Somebody else's recording makes no request.
    return given in ("-", None) or (isinstance(given, str) and "://" in given)


def _differences(
    what: str, kept: Mapping[str, Any], base: Path, folder: Path
) -> Iterator[tuple[Path, str]]:
    recorded = {base / file["path"]: file["sha256"] for file in kept["files"] if file["path"]}
    for path, expected in recorded.items():
        if not path.is_file():
            yield path, f"{what}: {path} is gone"
        elif sha256_of(path) != expected:
            yield path, f"{what}: {path} has changed since it was recorded"
    if what != "baseline":
        for path in _present(words_found(kept["given"], base), what, folder):
            if path not in recorded:
                yield path, f"{what}: {path} is new"


def _present(words: Any, what: str, folder: Path) -> Iterator[Path]:
    """The files that the words of an input match today."""
    for some in words.values() if isinstance(words, Mapping) else [words]:
        for source in find(some, what, folder):
            if source.fault is None:
                yield Path(source.name).absolute()


def _made_again(recording: Recording, base: Path, place: str, threads: int | None) -> Report:
    reports = [
        _judged_again(suite, held, recording.texts, base, place, threads)
        for suite, held in recording.held.items()
    ]
    return combine(reports) if recording.suite == "gate" else reports[0]


def _judged_again(
    name: str, held: Mapping[str, Any], texts: str, base: Path, place: str, threads: int | None
) -> Report:
    suite = suite_called(name)
    inputs = {key: words_found(kept["given"], base) for key, kept in held["inputs"].items()}
    # Where it runs, where it is kept and what it may fetch is not the recording's to say.
    known = {
        each.name
        for each in suite.own_options
        if each.option.group not in ("engine", "recording") and each.name != "allow_download"
    }
    given = {key: value for key, value in held["options"].items() if key in known}
    baseline = held.get("baseline")
    if baseline is not None:
        word = baseline["given"]
        if baseline["run"] is None:
            word = words_found(word, base)
        if "baseline" in known:
            given["baseline"] = word
        else:
            inputs["baseline"] = [word]
    # Rows with as much of the texts as were recorded; what is only a part is not recorded itself.
    kept = {"ledger": place, "ledger_texts": texts, "record": True}
    options = options_given(suite, {**given, **kept})
    return judged(suite, inputs, options, threads, part=True)


def _compare(
    run: FoundRun, recording: Recording, report: Report, changed: list[str], found: Verified
) -> None:
    """Holds what was made again against what is stored, file by file."""
    if report.digest != run.digest:
        found.differs += changed or _otherwise(run, report)
        return
    # Lines in another order, say: the content is the same, and so is the report.
    found.remarks += [f"{each}, and comes to the same" for each in changed]
    with doing("comparing", step="comparing"):
        made = content_of(report, recording.texts)  # type: ignore[arg-type]
    for name, content in made.items():
        told = f"{run.named(name)} is not what the inputs come to"
        if name == FILES or any(run.named(name) in each for each in found.differs):
            continue
        data = run.read(name)
        if sha256_of(content) == sha256_of(data):
            continue
        if not (name.endswith(ROWS) and isinstance(content, Path) and _same_rows(content, data)):
            found.differs.append(told)


def _same_rows(made: Path, stored: bytes) -> bool:
    """Another version of the engine may pack the same rows into other bytes."""
    from ragstone.engine.duck import Duck, quoted

    with scratch.folder() as folder, Duck(1) as duck:
        other = scratch.keep(folder, (stored,))
        one, two = (f"from read_parquet({quoted(str(each))})" for each in (made, other))
        # A version may have added a column; such rows are not the same, and cannot be subtracted.
        return duck.columns(f"({one})") == duck.columns(f"({two})") and not duck.query(
            f"({one} except all {two}) union all ({two} except all {one}) limit 1"
        )


def _otherwise(run: FoundRun, report: Report) -> list[str]:
    """Which part of the stored report is not what the same files come to now."""
    stored = json.loads(run.read("report.json"))
    made = report.to_dict()
    parts = [key for key in made if made[key] != stored.get(key) and key != "digest"]
    return [f"the same inputs come to another report: {', '.join(parts) or 'its digest'} differ"]
