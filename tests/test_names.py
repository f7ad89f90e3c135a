"""Names of metrics: each means one thing, and its other names work where its own does."""

from __future__ import annotations

from collections import Counter

import pytest
from builders import WORKED_GOLD, WORKED_TRACE
from command import Command, Folder

import ragstone
from ragstone.cli.explain import metrics_by_suite
from ragstone.gates.judge import resolve
from ragstone.measure.metric import Metric

EVERY = metrics_by_suite()
ALIASES = [
    (suite, metric.name, alias)
    for suite, metrics in EVERY.items()
    for metric in metrics
    for alias in metric.aliases
]
SAME = {
    "hit_rate@k": "recall_any@k",
    "full_recall@k": "recall@k",
    "false_answer_rate": "under_refusal",
    "false_refusal_rate": "over_refusal",
}


@pytest.mark.parametrize("suite", EVERY)
def test_no_name_means_two_metrics(suite: str) -> None:
    metrics: tuple[Metric, ...] = EVERY[suite]
    counted = Counter(name for metric in metrics for name in (metric.name, *metric.aliases))
    assert [name for name, times in counted.items() if times > 1] == []


@pytest.mark.parametrize(("suite", "name", "alias"), ALIASES)
def test_an_alias_is_the_metric_in_a_gate(suite: str, name: str, alias: str) -> None:
    assert resolve(alias, EVERY[suite], 5).name == name
    if alias.endswith("@k"):
        assert resolve(alias.replace("@k", "@5"), EVERY[suite], 5).name == name
        with pytest.raises(ragstone.ConfigError, match="asks for k = 7, but k is 5"):
            resolve(alias.replace("@k", "@7"), EVERY[suite], 5)


@pytest.mark.parametrize("suite", EVERY)
def test_a_metric_is_not_hidden_by_the_alias_of_another(suite: str) -> None:
    for metric in EVERY[suite]:
        assert resolve(metric.name, EVERY[suite], 5) is metric


def test_every_alias_works_on_the_command_line_and_in_the_file(
    command: Command, folder: Folder
) -> None:
    folder.fill()
    aliases = {alias: name for suite, name, alias in ALIASES if suite == "answers"}
    assert aliases.items() >= SAME.items()
    for alias, name in aliases.items():
        for spelled in {alias, alias.replace("@k", "@5")}:
            gated = command.score("--gates", f"{spelled}=0.5", "--json").json["gates"]
            assert name in gated, spelled
            folder.write("ragstone.toml", f'[answers.gates]\n"{spelled}" = 0.5\n')
            assert name in command.score("--json").json["gates"], spelled
            (folder.work / "ragstone.toml").unlink()


@pytest.mark.parametrize(("alias", "name"), SAME.items())
def test_a_report_knows_its_metrics_by_every_name(alias: str, name: str) -> None:
    report = ragstone.score(WORKED_GOLD, WORKED_TRACE, k=1)
    assert report[alias].value == report[name].value
    if alias.endswith("@k"):
        assert report[alias.replace("@k", "@1")].name == name
        with pytest.raises(ragstone.ConfigError):
            report[alias.replace("@k", "@2")]


@pytest.mark.parametrize("alias", SAME)
def test_an_alias_is_explained_as_the_metric(command: Command, alias: str) -> None:
    ran = command("explain", alias)
    assert (ran.code, ran.text.splitlines()[0]) == (0, f"metric:       answers.{SAME[alias]}")
    assert command("explain", alias.replace("@k", "@5")).out == ran.out
