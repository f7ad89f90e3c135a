"""`--baseline A`: a suite's own run compared with an earlier one, by the code of `compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragstone.comparison.compare_rows import Compared, comparing
from ragstone.comparison.row_sets import read_about
from ragstone.comparison.sides import (
    Side,
    compare_sides,
    done_in,
    look_for,
    named,
    scored,
    suites_in,
)
from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError
from ragstone.suites.declaration import AnySuite, Outcome
from ragstone.suites.made_of import ComparedWith
from ragstone.suites.options import Options
from ragstone.suites.verdict_files import KeptRows

NAME = "baseline"


@dataclass(frozen=True, slots=True)
class Against:
    """What a run is compared with, and the run's own inputs and options without it.

    `before` tells what it is to whoever wants to compare the run once more; a system of the same
    command needs no telling.
    """

    side: Side | None
    inputs: Mapping[str, Any]
    options: Options
    before: ComparedWith | None = None


def against(suite: AnySuite, inputs: Mapping[str, Any], options: Options) -> Against:
    """Finds what the baseline is: a system of this command stays an option, a file becomes a side.

    Latency has an input of this name; samples stay one, and rows or a report are a side.
    """
    if any(each.name == NAME for each in suite.inputs):
        return _from_input(suite, inputs, options)
    word = options.baseline
    done = done_in(suite)
    own = inputs.get(done.name) if done else None
    systems = own if isinstance(own, Mapping) else {}
    if word is None:
        return Against(None, inputs, options)
    side = look_for(word, systems, options.ledger, suite.name)
    if side is None:
        # A name that nothing has may be that of a system which the files themselves name.
        return Against(None, inputs, options)
    if word not in systems:
        return Against(side, inputs, replace(options, baseline=None), _told(side))
    wanted = options.max_regression or options.protect
    # Systems of one command are compared by every report of several; gates ask for more.
    return Against(replace(side, arm=word) if wanted else None, inputs, options)


def _told(side: Side) -> ComparedWith:
    return ComparedWith(side.word, side.run, side.name)


def _from_input(suite: AnySuite, inputs: Mapping[str, Any], options: Options) -> Against:
    files = inputs.get(NAME)
    if isinstance(files, str):
        files = [files]
    if not isinstance(files, Sequence) or len(files) != 1 or not isinstance(files[0], str):
        return Against(None, inputs, options)
    side = look_for(files[0], {}, options.ledger, suite.name)
    if side is None or side.rows is None:
        # The reading of the inputs names it, beside whatever is wrong with the others.
        return Against(None, inputs, options)
    rest = {name: given for name, given in inputs.items() if name != NAME}
    return Against(side, rest, options, _told(side))


def compared_with(
    found: Against, outcome: Outcome[Any], keep: KeptRows, threads: int | None = None
) -> Compared | None:
    """The run beside its baseline; None where there is none."""
    side, suite = found.side, outcome.suite
    if side is None:
        return None
    arm = _compared_arm(outcome, side)
    now = Side(arm or "this run", "", rows=keep.rows, arm=arm)
    if side.arm is not None and side.rows is None:
        before = replace(side, rows=keep.rows)
    else:
        done = done_in(suite)
        inputs = {
            name: given for name, given in found.inputs.items() if not done or name != done.name
        }
        before = scored(_same_arm(side, arm), suite, inputs, _alone(found.options), threads)
    one, two = named([before, now])
    how = comparing(found.options)
    # The engine of the run itself may still hold its rows: the two share what is allowed.
    shown = tuple(row.qid for row in outcome.offenders.rows)
    how = replace(how, memory=how.memory // 2, beside=shown)
    return compare_sides(one, replace(two, name=now.name), how, threads)


def _compared_arm(outcome: Outcome[Any], side: Side) -> str:
    """The system that --judge names, else the one at the top of the report that is another."""
    judged = getattr(outcome.options, "judge", None)
    if judged is not None:
        return str(judged)
    others = [arm for arm in outcome.arms if arm != side.arm]
    return outcome.shown if outcome.shown in others else others[0]


def _same_arm(side: Side, arm: str) -> Side:
    """Of a file with several systems, the one that is called as the one it is compared with."""
    if side.rows is None or side.arm is not None:
        return side
    with Duck(1) as duck:
        arms = read_about(duck, side.rows, str(side.rows))["arms"]
    return replace(side, arm=arm) if len(arms) > 1 and arm in arms else side


def _alone(options: Options) -> Options:
    """The options for one run by itself."""
    judge: dict[str, Any] = {"judge": None} if hasattr(options, "judge") else {}
    return replace(options, **judge)


def for_suites(
    suites: Sequence[AnySuite], given: Mapping[str, dict[str, Any]], place: str
) -> dict[str, dict[str, Any]]:
    """The options of `gate` by suite, with the baseline only where it is one of that suite.

    Of a run of the ledger every suite that it has is compared with its own part.
    """
    found = {name: dict(options) for name, options in given.items()}
    words = {str(options[NAME]) for options in found.values() if options.get(NAME) is not None}
    for word in words:
        owners = suites_in(word, place) or [suites[0].name]
        if not any(owner in found for owner in owners):
            raise ConfigError(
                f"{NAME} {word}: its rows are of {', '.join(owners)}, which the file does not name"
            )
        for name, options in found.items():
            if name not in owners:
                options.pop(NAME, None)
    return found
