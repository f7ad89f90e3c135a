"""A report of every suite and of every command that prints one, made as a user makes it.

What every report must show is tested over all of these. `of_command` runs a command over the kept
files; `declared` has every metric that a suite declares, each with a gate that does not pass.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from pkgutil import ModuleInfo, iter_modules

import pytest
from command import ragstone
from once_a_session import once
from report.report_builder import judged

from ragstone import cli
from ragstone.cli import common
from ragstone.gates.gate import Status
from ragstone.measure.metric import Count, Measured, Metric, Ratio
from ragstone.report.model import Report
from ragstone.suites.metric_titles import metrics_of
from ragstone.suites.registry import entries, find_suite

KEPT = Path(__file__).parents[1] / "kept" / "files"
ANSWERS = "--gold gold.jsonl --trace trace.jsonl"
RETRIEVED = "--gold retrieval_gold.jsonl --manifest manifest.jsonl"
# The modules of `cli` that print a report, and the commands of each; the last of several prints it.
# A screen of its own, which tests/shadow/test_canary_command.py holds to 24 lines.
OWN_SCREEN = {"canary"}
COMMANDS: dict[str, dict[str, tuple[str, ...]]] = {
    "suite_command": {
        "answers": (f"score {ANSWERS} --by tags level",),
        "answers_ships": ("score --gold gold.jsonl --trace good.jsonl --scu-enforced",),
        "answers_support": (f"score {ANSWERS} --texts texts.jsonl --by tags",),
        "answers_baseline": (
            f"score {ANSWERS} -o old.parquet",
            "score --gold gold.jsonl --trace good.jsonl --baseline old.parquet "
            "--max-regression precision=0.02 chr=0.02",
        ),
        "canary": (f"canary {RETRIEVED} --live live.jsonl --shadow shadow.jsonl",),
        "latency": (
            "latency score --gold gold.jsonl --samples samples.jsonl --baseline last_week.jsonl",
        ),
        "stability": ("stability score --gold gold.jsonl --runs runs.jsonl",),
        "audit": ("audit --trace trace.jsonl --texts texts.jsonl --sample-rate 0.5 --by q",),
        "audit_gated": (
            "audit --trace trace.jsonl --manifest manifest.jsonl --gates empty=0 support=0.9",
        ),
    },
    "retrieval": {
        "retrieval": (f"retrieval {RETRIEVED} --log shadow.jsonl --by tags",),
        "calibrate": (f"retrieval calibrate {RETRIEVED} --log bare_log.jsonl --dry-run",),
    },
    "context": {
        "context": (
            "context --results bm25.tsv --reference reference.tsv --gates context_recall=0.9",
        ),
        "context_systems": (
            "context --results bm25.tsv dense.parquet --reference reference.tsv --k 2",
        ),
    },
    "trec": {
        "trec": ("trec qrels.txt bm25.run",),
        "trec_systems": ("trec qrels.txt bm25.run rm3.run.gz -m ndcg@5 mrr --gates ndcg@5=0.7",),
    },
    "agreement": {
        "agreement": ("agreement --pairs pairs.jsonl",),
        "raters": ("agreement --raters scholar.jsonl auditor.jsonl third.jsonl",),
        "people": (f"agreement {ANSWERS} --labels people.jsonl",),
        "people_gated": (
            f"agreement {ANSWERS} --labels people.jsonl --gates percent_agreement=0.99 kappa=0.9",
        ),
    },
    "gate": {
        "gate": ("gate --config everything.toml",),
        "gate_more": ("gate --config more.toml",),
    },
    "compare": {
        "compare": (
            f"score {ANSWERS} --by tags -o old.parquet",
            "score --gold gold.jsonl --trace good.jsonl --by tags -o new.parquet",
            "compare new.parquet old.parquet --by tags",
        ),
        "compare_gated": (
            f"score {ANSWERS} -o old.parquet",
            "score --gold gold.jsonl --trace good.jsonl -o new.parquet",
            "compare new.parquet old.parquet --max-regression precision=0.02 chr=0.02 under=0",
        ),
        "compare_rankings": (
            "context --results bm25.tsv --reference reference.tsv --k 2 -o old.parquet",
            "context --results dense.parquet --reference reference.tsv --k 2 -o new.parquet",
            "compare old.parquet new.parquet",
        ),
    },
    "power": {"power": (f"power {ANSWERS} --plan",)},
    "migrate": {
        "migrate": ("migrate manifest.jsonl new_manifest.jsonl --gold retrieval_gold.jsonl",)
    },
    "regate": {
        "regate": (
            f"score {ANSWERS} --record --ledger ledger",
            "regate last --ledger ledger --gates precision=0.99 recall@5=0.9",
        )
    },
    "render": {
        "render": (f"score {ANSWERS} --record --ledger ledger", "render last --ledger ledger")
    },
}
ONE_BY_ONE = {name: words for of in COMMANDS.values() for name, words in of.items()}
MORE = """
[paths]
gold = "gold.jsonl"
trace = ["trace.jsonl"]
[answers]
by = ["tags"]
[retrieval]
gold = "retrieval_gold.jsonl"
live = ["live.jsonl"]
shadow = ["shadow.jsonl"]
manifest = "manifest.jsonl"
[agreement]
labels = "people.jsonl"
[agreement.gates]
percent_agreement = 0.99
[audit]
trace = ["trace.jsonl"]
[audit.gates]
unscoped = 0
"""


def printing_modules() -> set[str]:
    """The modules of the command line that print a report."""
    modules = {each.name: import_module(f"{cli.__name__}.{each.name}") for each in _modules()}
    return {name for name, module in modules.items() if hasattr(module, "emit")} - {"common"}


def _modules() -> Iterator[ModuleInfo]:
    return iter_modules(cli.__path__)


def of_command(name: str) -> Report:
    """The report that a command prints, before it is put into words."""
    report: Report = once(f"report_{name}", partial(_printed, name))[0]
    return report


def _printed(name: str, folder: Path) -> Report:
    printed: list[Report] = []

    def keep(report: Report, *_: object, **__: object) -> None:
        printed.append(report)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common, "say_summary", keep)
        files = shutil.copytree(KEPT, folder / "files")
        (files / "people.jsonl").write_text(_labels(files), encoding="utf-8")
        (files / "more.toml").write_text(MORE, encoding="utf-8")
        for words in ONE_BY_ONE[name]:
            # What a test asks of a report, it asks after the command is over and its rows are gone.
            ran = ragstone(*words.split(), cwd=files)
            assert ran.code in (0, 1, 3), ran.err
    return replace(printed[-1], kept=None)


def _labels(files: Path) -> str:
    """What people say of the answers to the kept gold set: not always what the gate says."""
    gold = [json.loads(line) for line in (files / "gold.jsonl").read_text().splitlines()]
    said = ("correct", "incorrect", "refusal")
    labels = [
        {"qid": each["qid"], "label": said[place % 3], "system": ""}
        for place, each in enumerate(gold)
    ]
    return "".join(json.dumps(each) + "\n" for each in labels)


@cache
def declared(suite: str) -> Report:
    """Every metric that a suite declares, with a gate on each that does not pass."""
    measured = {
        metric.name: _measured(metric, place)
        for place, metric in enumerate(metrics_of(find_suite(suite)))
    }
    proofs = (None, True, False)
    gates = [
        judged(
            each,
            ">=",
            0.9,
            Status.UNMEASURABLE if place % 5 == 4 else Status.FAIL,
            proven=proofs[place % 3],
            numerator=each.numerator,
            denominator=each.denominator,
        )
        for place, each in enumerate(measured.values())
    ]
    data = {"confidence": 0.95}
    return Report(suite, "1.0", {}, measured, tuple(gates), "0" * 64, data, {})


def _measured(metric: Metric, place: int) -> Measured:
    """No two of them have the same numbers, so that each can be told from the others."""
    of = 1000 + place
    hits = 7 * place % of if isinstance(metric, Ratio | Count) else None
    interval = None if place % 4 == 3 else (place / 1000, 0.5 + place / 1000)
    return Measured(metric, place / 997, hits, of, interval, vacuous=False)


NAMES: dict[str, Callable[[], Report]] = {
    **{name: partial(of_command, name) for name in ONE_BY_ONE},
    **{f"{entry.name}, as declared": partial(declared, entry.name) for entry in entries()},
}
