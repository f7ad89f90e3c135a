"""A ledger of real runs: one gold set, scored and recorded four times over some weeks."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from builders import write_jsonl
from command import ragstone

from ragstone.ledger import record_run

START = datetime.datetime(2026, 10, 5, 9, 30, tzinfo=datetime.UTC)
QUESTIONS = {
    "billing-01": ("What does the Team plan cost?", "€19 per month", "billing#plans"),
    "billing-02": ("Who gets the invoices?", "the owner of the account", "billing#invoices"),
    "billing-03": ("Are refunds possible?", "within 14 days", "billing#refunds"),
    "setup-01": ("How much memory does it need?", "384 MB", "setup#memory"),
    "setup-02": ("How long does the setup link work?", "20 minutes", "setup#link"),
    "setup-03": ("Which port is used?", "port 8443", "setup#ports"),
    "keys-01": ("How are keys rotated?", "every 90 days", "keys#rotation"),
    "keys-02": ("Where are keys stored?", "in the vault", "keys#storage"),
}
# What each run gets wrong, oldest first: what it says instead, and what it cites.
WRONG: tuple[dict[str, tuple[str, str]], ...] = (
    {"keys-01": ("Keys are rotated once a year.", "keys#storage")},
    {},
    {
        "billing-01": ("The Team plan costs €29 per month.", "billing#invoices"),
        "keys-02": ("Keys are stored on disk.", "keys#rotation"),
        "setup-03": ("The service uses port 80.", "setup#memory"),
    },
    {
        "billing-01": ("The Team plan costs €29 per month.", "billing#invoices"),
        "keys-02": ("Keys are stored on disk, and in a file.", "keys#rotation"),
    },
)
MODELS = ("small-1", "small-2", "large-1", "large-2")


def gold_lines() -> list[dict[str, Any]]:
    return [
        {
            "qid": qid,
            "question": question,
            "answerable": True,
            "gold_claim_substr": [phrase],
            "gold_citations": [cited],
            "tags": [qid.partition("-")[0]],
        }
        for qid, (question, phrase, cited) in QUESTIONS.items()
    ]


def trace_lines(wrong: dict[str, tuple[str, str]]) -> list[dict[str, Any]]:
    found = []
    for qid, (_, phrase, cited) in QUESTIONS.items():
        claim, cites = wrong.get(qid, (f"It is {phrase}, as the documentation says.", cited))
        others = [each for _, _, each in QUESTIONS.values() if each not in (cites, cited)]
        retrieved = [cites, *others[:3]] if qid in wrong else [cited, *others[:4]]
        answer = {"claim": claim, "citations": [cites]}
        found.append({"qid": qid, "retrieved_ids": retrieved, "answer_json": answer})
    return found


def record(
    folder: Path, wrong: Sequence[dict[str, tuple[str, str]]] = WRONG, *words: str
) -> list[str]:
    """Scores and records the runs in a folder, a week apart; their digests, oldest first."""
    write_jsonl(folder / "gold.jsonl", gold_lines())
    digests = []
    for number, each in enumerate(wrong):
        write_jsonl(folder / "trace.jsonl", trace_lines(each))
        at = START + datetime.timedelta(days=7 * number)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(record_run, "now", lambda at=at: at)
            label = f"model={MODELS[number % len(MODELS)]}"
            given = ("--gold", "gold.jsonl", "--trace", "trace.jsonl", "--by", "tags")
            shown = ("--record", "--label", label, "--json")
            ran = ragstone("score", *given, *shown, *words, cwd=folder)
        assert ran.code in (0, 1), ran.err
        digests.append(json.loads(ran.out)["digest"])
    return digests
