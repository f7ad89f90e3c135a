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
        "Some requests end without an answer. Look for errors, time-outs, or a filter behind the "
        "model.",
        lambda signs: signs.bad("empty") and signs.value("empty") < 1,
        "empty",
        title="answers with nothing in them",
    ),
    Rule(
        "empty everywhere",
        "No line holds an answer that can be read. Look whether the log keeps them in another "
        "field, and name it with --map.",
        lambda signs: signs.value("empty") == 1,
        "empty",
        title="no answer in any line",
    ),
    Rule(
        "near_refused high",
        "The pipeline refuses in words of its own. Name them with --refusal, or enforce one "
        "refusal.",
        lambda signs: signs.bad("near_refused"),
        "near_refused",
        title="refusals in other words",
    ),
    Rule(
        "unscoped > 0",
        "The pipeline cites what it did not retrieve, or does not log all that it retrieved. "
        "Let it cite retrieved ids alone, and log every one of them.",
        lambda signs: signs.bad("unscoped"),
        "shipped and cited and not scoped",
        title="cites what was not retrieved",
    ),
    Rule(
        "support low",
        "Answers state numbers, dates or quotations that their texts do not hold. Read some of "
        "them beside their texts: the model adds something, or the text writes it another way.",
        lambda signs: signs.bad("support"),
        SUPPORT.costs,
        title="facts that the texts do not hold",
    ),
    Rule(
        "inconsistent high",
        "The same question gets different answers. Look at the temperature, and for an index or"
        " prompt that changed in between.",
        lambda signs: signs.bad("inconsistent"),
        INCONSISTENT.costs,
        title="same question, different answers",
    ),
    Rule(
        "no_echo > 0",
        "Traces do not repeat their constraints, or contradict one. Give them to the model word"
        " for word, and ask for them back in constraints_echo.",
        lambda signs: signs.bad("no_echo"),
        "constrained and not echoed",
        title="constraints not kept",
    ),
)
