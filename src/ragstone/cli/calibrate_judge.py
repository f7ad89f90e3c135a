"""Measure how far another tool's judge agrees with people, and write it to a file. From then on a
gate on the judge's score may decide, as long as model and prompt stay the same. What [judge.NAME]
in ragstone.toml says of the judge need not be repeated here."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.cli import suite_command
from ragstone.cli.common import config_of, say
from ragstone.cli.flags import add_errors, add_json, add_map, flag, number, utf8
from ragstone.errors import ConfigError, InputError
from ragstone.progress import doing
from ragstone.suites.config_file import Config, mapping_in
from ragstone.suites.judged_scores.judge_settings import KAPPA, THRESHOLD
from ragstone.tools.judge_calibration import READ, Asked, Found, calibrate_judge

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source


def configure(parser: argparse.ArgumentParser) -> None:
    inputs = parser.add_argument_group("inputs")
    for given in READ.inputs:
        suite_command.add_input(inputs, given, several=False)
    add_map(inputs)
    add_errors(inputs)
    judge = parser.add_argument_group("judge")
    flag(judge, "--score NAME", "the score: faithfulness, or tone:polite for a label", type=utf8)
    flag(judge, "--model NAME", "the model that judges, as you would name it", type=utf8)
    flag(judge, "--prompt FILE", "the prompt that it judges with; its hash is kept")
    says = f"the lowest score that counts as the judge's yes ({THRESHOLD:g})"
    flag(judge, "--threshold NUMBER", says, type=number)
    output = parser.add_argument_group("output")
    flag(output, "-o --output FILE", "where the calibration is written")
    add_json(output)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck
    from ragstone.files import make_folder_of, write_lines
    from ragstone.suites.judged_scores.calibration_file import why_not, written
    from ragstone.suites.options import Options

    config = config_of(arguments)
    own = _own_table(config, arguments.score)
    asked = _asked(arguments, own)
    target = _needed(arguments.output or own.get("calibration"), "-o FILE", "calibration")
    given = mapping_in(config, arguments)
    options = Options(map=given.map, ids=given.ids or None)
    files = suite_command.inputs_given(arguments, READ, config)
    steps = {"reading": 70, "hashing": 30}
    with Duck(arguments.threads) as duck, doing("calibrate-judge", steps=steps):
        sources = {name: find(list(words), name, duck.scratch) for name, words in files.items()}
        _must_not_replace(
            target, asked.prompt, [each for some in sources.values() for each in some]
        )
        found = calibrate_judge(duck, sources, options, asked)
    data = written(found.calibration)
    make_folder_of(Path(target))
    write_lines(target, [data])
    why = why_not(found.calibration, own.get("kappa", KAPPA))
    if arguments.json:
        say(json.dumps({**json.loads(data), "calibrated": not why, "why_not": why or None}))
    else:
        say(_told(found, target, why, asked, known=bool(own)))
    if not arguments.quiet:
        _warn(found)
    return 1 if why else 0


def _own_table(config: Config, score: str | None) -> Mapping[str, Any]:
    """What ragstone.toml says of this judge."""
    from ragstone.suites.registry import find_suite

    if score is None:
        raise ConfigError("no score: give --score NAME")
    judges: Any = config.options(find_suite("answers")).get("judges", {})
    found: Mapping[str, Any] = judges.get(score, {})
    return found


def _asked(arguments: argparse.Namespace, own: Mapping[str, Any]) -> Asked:
    given = arguments.threshold
    return Asked(
        score=arguments.score,
        threshold=own.get("threshold", THRESHOLD) if given is None else given,
        model=_needed(arguments.model or own.get("model"), "--model NAME", "model"),
        prompt=Path(_needed(arguments.prompt or own.get("prompt"), "--prompt FILE", "prompt")),
    )


def _needed(given: str | None, flag: str, key: str) -> str:
    if not given:
        raise ConfigError(
            f"no {key}: give {flag}, or set {key} under [judge.NAME] in ragstone.toml"
        )
    return given


def _must_not_replace(target: str, prompt: Path, sources: list[Source]) -> None:
    inputs = {os.path.realpath(path) for path in (prompt, *(each.path for each in sources))}
    if os.path.realpath(target) in inputs:
        raise ConfigError(f"-o {target} would replace an input")
    if Path(target).is_dir():
        raise InputError(f"{target} is a folder; give a file name")


def _told(found: Found, target: str, why: str, asked: Asked, *, known: bool) -> str:
    made = found.calibration
    since = "" if made.threshold is None else f", a yes from {made.threshold:g} on"
    low_high = "" if made.interval is None else " ({:.2f} to {:.2f})".format(*made.interval)
    value = "undefined" if made.kappa is None else f"{made.kappa:.2f}{low_high}"
    (yes_yes, yes_no), (no_yes, no_no) = made.table
    lines = [
        f"{made.score}{since}: kappa {value} on {made.labels:,} labels",
        f"{'':<12}{'people yes':>12}{'people no':>12}",
        f"{'judge yes':<12}{yes_yes:>12,}{yes_no:>12,}",
        f"{'judge no':<12}{no_yes:>12,}{no_no:>12,}",
        f"wrote {target}",
        f"NOT CALIBRATED: {why}" if why else f"CALIBRATED: a gate on judge.{made.score} may decide",
    ]
    if not why and not known:
        lines += ["", "ragstone.toml:", *_table(asked, target)]
    return "\n".join(lines)


def _table(asked: Asked, target: str) -> list[str]:
    """What makes a gate look at the file."""
    from ragstone.suites.judged_scores.score_metrics import toml_key

    own = {"model": asked.model, "prompt": str(asked.prompt), "calibration": target}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in own.items()]
    if asked.threshold != THRESHOLD:
        lines.append(f"threshold = {asked.threshold!r}")
    return [f"[judge.{toml_key(asked.score)}]", *lines]


def _warn(found: Found) -> None:
    for count, says in (
        (found.unknown, "of an answer that no trace has"),
        (found.unscored, "of an answer without the score"),
    ):
        if count:
            labels = "1 label is" if count == 1 else f"{count:,} labels are"
            print(f"ragstone: warning: {labels} {says}; not counted", file=sys.stderr)
