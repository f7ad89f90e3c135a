"""`ragstone explain`: what the declaration of a metric says, in words."""

from __future__ import annotations

import pytest
from command import Command

from ragstone.cli.explain import metrics_by_suite
from ragstone.suites.answers.metrics import METRICS


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_metric_can_be_explained(metric, command: Command) -> None:
    ran = command("explain", metric.name)
    assert (ran.code, ran.err) == (0, "")
    assert f"answers.{metric.name}" in ran.text and metric.says in ran.text
    assert (metric.gate or "none by default") in ran.text
    found = command("explain", f"answers.{metric.name}", "--json").json
    assert (found["name"], found["says"]) == (metric.name, metric.says)


def test_aliases_and_numbers_are_understood(command: Command) -> None:
    assert command("explain", "under").out == command("explain", "under_refusal").out
    assert command("explain", "recall@10").out == command("explain", "recall@k").out


def test_without_a_name_all_are_listed(command: Command) -> None:
    text = command("explain").text
    assert all(metric.name in text and metric.says in text for metric in METRICS)
    listed = command("explain", "--json").json["metrics"]
    every = [metric.name for metrics in metrics_by_suite().values() for metric in metrics]
    assert [found["name"] for found in listed] == every


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("precison", "did you mean 'precision'?"),
        ("recall@", "did you mean 'recall@k'?"),
        ("recall@²", "did you mean 'recall@k'?"),
        ("answers.", "known: precision, chr"),
        ("qqq", "known: precision, chr"),
    ],
)
def test_an_unknown_metric_gets_a_suggestion(name: str, says: str, command: Command) -> None:
    ran = command("explain", name)
    assert (ran.code, ran.out) == (2, b"")
    assert says in ran.err
