"""One digest over everything a report depends on: the same digest, the same report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragstone._version import __version__
from ragstone.measure.metric import Metric, as_dict

if TYPE_CHECKING:
    from ragstone.suites.declaration import Outcome


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


def digest_of(whole: Mapping[str, object]) -> str:
    """The SHA-256 of canonical JSON, with the version of the tool beside it."""
    return hashlib.sha256(canonical({"version": __version__, **whole})).hexdigest()


def _declared(metric: Metric) -> dict[str, object]:
    """How a metric is computed; what it is called in plain words decides nothing."""
    return {name: value for name, value in as_dict(metric).items() if name != "title"}


def digest(outcome: Outcome[Any]) -> str:
    """Over the inputs, the effective options, the gates, the arms and the metric declarations."""
    return digest_of(
        {
            "suite": outcome.suite.name,
            "inputs": outcome.inputs,
            "settings": outcome.settings,
            "gates": [[gate.name, str(gate.threshold)] for gate in outcome.gates],
            "metrics": [[type(m).__name__, _declared(m)] for m in outcome.metrics],
            "arms": outcome.arms,
            # Some name the files by their place: one file or three is not the same report.
            "warnings": outcome.warnings,
        }
    )
