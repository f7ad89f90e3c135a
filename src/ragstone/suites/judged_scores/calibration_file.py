"""What `calibrate-judge` writes, and what a gate on a judge's score asks of it.

The file is canonical JSON with a digest over the rest of it, so that no number of it can be changed
by hand without being noticed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ragstone.contracts.not_json import NotJson
from ragstone.contracts.strict_json import parse
from ragstone.errors import InputError
from ragstone.suites.digest import canonical

FORMAT = 1
# Kappa of fewer labels says too little, whatever it is.
FEWEST_LABELS = 50
_HOW = "`ragstone calibrate-judge`"


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """How far a judge agrees with people.

    `table` counts the answers by what the judge says and what people say: yes and yes, yes and no,
    no and yes, no and no. `kappa` and `interval` are None where they are undefined. `inputs` are
    the hashes of what was read.
    """

    score: str
    model: str
    prompt_sha256: str
    threshold: float | None
    labels: int
    kappa: float | None
    interval: tuple[float, float] | None
    level: float
    table: tuple[tuple[int, int], tuple[int, int]]
    inputs: Mapping[str, str]

    @property
    def constant(self) -> str:
        """What the judge says of every answer, where it says one thing of all."""
        yes, no = map(sum, self.table)
        return "" if yes and no else "yes" if yes else "no"


def written(found: Calibration) -> bytes:
    """The bytes of the file."""
    whole = {"format": FORMAT, **asdict(found)}
    return canonical({**whole, "digest": _digest(whole)}) + b"\n"


def _digest(whole: Mapping[str, object]) -> str:
    # Without the version of the tool: a calibration outlives it.
    return hashlib.sha256(canonical(whole)).hexdigest()


def read_calibration(path: Path, name: str) -> Calibration:
    """The file, if nobody has changed it; InputError says what is wrong with it."""
    try:
        whole = parse(path.read_bytes())
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise InputError(f"{name} cannot be read: {why}; {_HOW} writes it") from None
    except NotJson:
        whole = None
    if not isinstance(whole, dict) or "digest" not in whole:
        raise InputError(f"{name} is no calibration; {_HOW} writes one")
    if whole.get("format") != FORMAT:
        raise InputError(
            f"{name} has another format than this version reads; {_HOW} writes it anew"
        )
    told = whole.pop("digest")
    names = {each.name for each in fields(Calibration)}
    if _digest(whole) != told or whole.keys() != {"format", *names}:
        raise InputError(f"{name} was changed by hand; {_HOW} writes it anew")
    given: dict[str, Any] = {each: whole[each] for each in names}
    return Calibration(**given)


def prompt_hash(path: Path) -> str:
    """The SHA-256 of a prompt's bytes; InputError where there is no such file."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise InputError(f"the prompt {path.name} cannot be read: {why}") from None


def why_not(found: Calibration, least: float) -> str:
    """Why a calibration proves too little for a gate; "" if it proves enough."""
    if found.labels < FEWEST_LABELS:
        return f"it rests on {found.labels:,} labels, and needs {FEWEST_LABELS}"
    if found.constant:
        return f"the judge says {found.constant} of every answer, so that kappa means nothing"
    if found.kappa is None or found.interval is None:
        return "kappa is undefined: people say the same of every answer"
    if found.interval[0] < least:
        return f"kappa's lower bound is {found.interval[0]:.2f}, under {least:.2f}"
    return ""
