"""One digest over everything a report depends on: the same digest, the same report."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence

from ragstone._version import __version__
from ragstone.gates.gate import Judged
from ragstone.measure.metric import Metric


def canonical(value: object) -> bytes:
    """Canonical JSON: sorted keys, no spaces, floats to 12 significant digits, UTF-8.

    >>> canonical({"b": 0.1 + 0.2, "a": [1, None]})
    b'{"a":[1,null],"b":0.3}'
    """
    return json.dumps(
        _rounded(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, Mapping):
        return {str(key): _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value


def digest(
    suite: str,
    inputs: Mapping[str, object],
    settings: Mapping[str, object],
    gates: Sequence[Judged],
    metrics: Sequence[Metric],
) -> str:
    """The SHA-256 of inputs, effective configuration, tool version and metric declarations."""
    whole = {
        "suite": suite,
        "version": __version__,
        "inputs": inputs,
        "settings": settings,
        "gates": [[gate.name, str(gate.threshold)] for gate in gates],
        "metrics": [[type(m).__name__, dataclasses.asdict(m)] for m in metrics],
    }
    return hashlib.sha256(canonical(whole)).hexdigest()
