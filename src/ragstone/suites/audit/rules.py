"""How the audit suite reads its own numbers: which pattern points at which layer."""

from __future__ import annotations

from ragstone.suites.audit.metrics import INCONSISTENT
from ragstone.suites.signs import Rule
from ragstone.suites.support.support_metrics import SUPPORT

# No gate is set by default, so these lines say what counts as low or high.
LINES = {
    "empty": "<= 0.01",
    "near_refused": "<= 0.05",
    "unscoped": "= 0",
    "support": ">= 0.95",
    "inconsistent": "<= 0.05",
    "no_echo": "= 0",
}

READINGS = (
    Rule(
        "empty high",
        "requests end without an answer: errors, time-outs or a filter behind the model",
        lambda signs: signs.bad("empty"),
        "empty",
    ),
    Rule(
        "near_refused high",
        "refusals come in other words than the token: list them as refusals, or enforce the token",
        lambda signs: signs.bad("near_refused"),
        "near_refused",
    ),
    Rule(
        "unscoped > 0",
        "the pipeline cites what it did not retrieve, or does not log all that it retrieved",
        lambda signs: signs.bad("unscoped"),
        "shipped and cited and not scoped",
    ),
    Rule(
        "support low",
        "answers state figures or quotations that the texts they rest on do not hold",
        lambda signs: signs.bad("support"),
        SUPPORT.costs,
    ),
    Rule(
        "inconsistent high",
        "the same question gets different answers: sampling, or an index or prompt that changed",
        lambda signs: signs.bad("inconsistent"),
        INCONSISTENT.costs,
    ),
    Rule(
        "no_echo > 0",
        "constraints not echoed, or contradicted: lock and echo them",
        lambda signs: signs.bad("no_echo"),
        "constrained and not echoed",
    ),
)
