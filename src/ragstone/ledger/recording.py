"""A recording: that a run was made, when, from what, at which commit, and what it came to.

It is a small JSON file. A list of runs and a trend are made of these alone, so it also has the
decision, the gates and the numbers; the report itself stays where it is.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, get_args

from ragstone.errors import InputError
from ragstone.gates.gate import Op

# Raised when an older version could misread a newer file.
FORMAT = 1
_NAME = re.compile(r"\d{8}T\d{6}\.\d{6}Z-[0-9a-f]{8}\.json")
_STAMP = "%Y%m%dT%H%M%S.%fZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recording of a run.

    `given` is the command line as it was typed (empty where Python called); `held` is, by suite,
    what was in force: the files of each input with their hashes, and every option. `commit`,
    `branch` and `dirty` are None outside of a git repository.
    """

    run: str
    at: str
    suite: str
    version: str
    decision: str | None
    texts: str
    given: tuple[str, ...] = ()
    held: Mapping[str, Any] = field(default_factory=dict)
    commit: str | None = None
    branch: str | None = None
    dirty: bool | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    gates: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """The first characters of the digest, as people write it."""
        return self.run[:8]

    @property
    def suites(self) -> tuple[str, ...]:
        """The suites of the run: those of a `gate`, or the one."""
        return tuple(self.held) or (self.suite,)

    @property
    def moment(self) -> datetime.datetime:
        return moment_of(self.at)

    def to_json(self) -> bytes:
        """The file, with the keys in the order of the fields."""
        whole = {"format": FORMAT, **asdict(self)}
        return (json.dumps(whole, ensure_ascii=False, allow_nan=False) + "\n").encode()


def moment_of(text: str) -> datetime.datetime:
    """A moment as recordings write it; ValueError if it is none.

    >>> moment_of("2026-11-17T05:30:00.000001Z").year
    2026
    """
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.UTC)


def written_at(moment: datetime.datetime) -> str:
    """The moment as recordings write it, in UTC.

    >>> written_at(datetime.datetime(2026, 11, 17, 5, 30, tzinfo=datetime.UTC))
    '2026-11-17T05:30:00.000000Z'
    """
    return moment.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def file_name(at: str, chance: str) -> str:
    """The name of a recording's file: sorted by name, files are sorted by time."""
    return f"{moment_of(at).strftime(_STAMP)}-{chance}.json"


def is_recording(name: str) -> bool:
    """Whether a file's name is that of a recording.

    >>> is_recording("20261117T053000.000001Z-0a1b2c3d.json"), is_recording("notes.json")
    (True, False)
    """
    return _NAME.fullmatch(name) is not None


_KINDS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("run", "at", "suite", "version", "texts"), str),
    **dict.fromkeys(("decision", "commit", "branch"), (str, type(None))),
    "dirty": (bool, type(None)),
    "given": list,
    **dict.fromkeys(("held", "labels", "gates", "metrics"), dict),
}


def _is_number(value: Any) -> bool:
    # Not `isfinite`: a whole number of 400 digits is no float, and the difference of two of the
    # largest floats is none either.
    return isinstance(value, int | float) and abs(value) <= 1e300


def _is_optional(value: Any) -> bool:
    return value is None or _is_number(value)


def _is_measured(entry: Any) -> bool:
    """Whether it is a value with its interval; an end of the interval may be open."""
    if not isinstance(entry, dict):
        return False
    ends = entry.get("interval")
    closed = isinstance(ends, list) and len(ends) == 2 and all(map(_is_optional, ends))
    return (ends is None or closed) and all(
        _is_optional(entry.get(key)) for key in ("value", "numerator", "denominator")
    )


def _is_metric(entry: Any) -> bool:
    return _is_measured(entry) and isinstance(entry.get("unit", ""), str)


def _is_gate(entry: Any) -> bool:
    return (
        _is_measured(entry)
        and isinstance(entry.get("metric"), str)
        and entry.get("op") in get_args(Op)
        and _is_number(entry.get("threshold"))
        and isinstance(entry.get("status"), str)
    )


def _is_file(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("path"), str | None)
        and isinstance(entry.get("sha256"), str)
    )


def _is_input(entry: Any) -> bool:
    files = entry.get("files") if isinstance(entry, dict) else None
    return isinstance(files, list) and "given" in entry and all(map(_is_file, files))


def _is_held(entry: Any) -> bool:
    """Whether it is what was in force for a suite: inputs, options, and maybe a baseline."""
    if not isinstance(entry, dict) or not isinstance(entry.get("options"), dict):
        return False
    inputs, baseline = entry.get("inputs"), entry.get("baseline")
    named = baseline is None or (
        _is_input(baseline)
        and isinstance(baseline["given"], str)
        and isinstance(baseline.get("run"), str | None)
    )
    return isinstance(inputs, dict) and all(map(_is_input, inputs.values())) and named


# What lists, trends and checks are made of must be as it was written.
_ENTRIES: Mapping[str, Callable[[Any], bool]] = {
    "held": _is_held,
    "labels": lambda text: isinstance(text, str),
    "gates": _is_gate,
    "metrics": _is_metric,
}


def from_json(data: bytes, name: str) -> Recording:
    """The recording of a file; InputError, with the file's name, if it is none."""
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError(f"{name} is damaged: it is not JSON") from None
    if not isinstance(whole, dict):
        raise InputError(f"{name} is damaged: it is no object")
    if whole.get("format") != FORMAT:
        found = whole.get("format")
        raise InputError(f"{name} has format {found!r}, and this version reads {FORMAT}")
    for key, kind in _KINDS.items():
        if not isinstance(whole.get(key), kind):
            raise InputError(f"{name} is damaged: {key!r} is missing, or of another type")
    try:
        moment_of(whole["at"])
    except ValueError:
        raise InputError(f"{name} is damaged: 'at' is no moment") from None
    for key, holds in _ENTRIES.items():
        for entry, said in whole[key].items():
            if not holds(said):
                raise InputError(f"{name} is damaged: {entry!r} of its {key} is not as written")
    known = {key: whole[key] for key in _KINDS}
    return Recording(**{**known, "given": tuple(map(str, whole["given"]))})
