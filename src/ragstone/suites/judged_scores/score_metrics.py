"""The metrics of other tools' scores: declared from their names, which only the data knows.

A score that is a number is a mean, `judge.faithfulness`. Of one that is a label each label is a
share, `judge.tone:polite`. A score with a table in ragstone.toml has a threshold there, as people
saw it when the judge was calibrated: it is the share of answers that reach it, and its mean is
`judge.faithfulness:mean`. No gate decides on a score that is not calibrated: its metric is
`barred`, and says why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragstone.contracts.kinds import MOST
from ragstone.engine.duck import Duck, quoted, text
from ragstone.errors import InputError
from ragstone.measure.metric import Better, Mean, Metric, Ratio
from ragstone.suites.declaration import Numbers, Work
from ragstone.suites.judged_scores.calibration_file import prompt_hash, read_calibration, why_not
from ragstone.suites.judged_scores.judge_settings import JudgedOptions
from ragstone.suites.judged_scores.score_names import PREFIX, is_score

_MEAN = "mean"
# More scores, or labels of one, are no columns but texts that differ from answer to answer.
MOST_SCORES = 100
MOST_LABELS = 20


def gated_scores(options: JudgedOptions) -> tuple[Metric, ...]:
    """The scores that gates ask for, whether any answer has them or not."""
    gates = (*options.gates, *(pair for part in options.slices for pair in part.gates))
    names = dict.fromkeys(name for name, _ in gates if is_score(name))
    return tuple(_named(name.removeprefix(PREFIX), options) for name in names)


def found_scores(work: Work[Any]) -> tuple[Metric, ...]:
    """The scores that the rows have, in order."""
    numbers, labels = named_scores(work.duck, "rows")
    if len({*numbers, *labels}) > MOST_SCORES:
        raise InputError(
            f"the answers have {len({*numbers, *labels}):,} different judge scores, and at most "
            f"{MOST_SCORES} can be shown; a score has the same name for every answer"
        )
    options = work.options
    made: list[Metric] = []
    for name in sorted({*numbers, *labels}):
        if name in numbers:
            made.append(_number(name, options))
            if name in options.judges:
                made.append(_mean(f"{name}:{_MEAN}", name, options))
        if len(labels.get(name, ())) > MOST_LABELS:
            work.warnings.append(
                f"judge.{name} has {len(labels[name]):,} different texts: it is no label, and not "
                "shown"
            )
        else:
            made += [_label(name, label, options) for label in labels.get(name, ())]
    _must_differ(made)
    return tuple(made)


def named_scores(duck: Duck, table: str) -> tuple[set[str], dict[str, list[str]]]:
    """The names of the scores that are numbers, and the labels of those that are texts."""
    if not duck.query(f"select 1 from {table} where judge is not null limit 1"):
        return set(), {}
    found = duck.query(f"""
        select distinct name, case when kind = 'VARCHAR' then said end as label
        from (
            select
                unnest(json_keys(judge)) as name,
                unnest(json_extract_string(judge, '$.*')) as said,
                unnest(list_transform(json_extract(judge, '$.*'), lambda each: json_type(each)))
                    as kind,
            from {table} where judge is not null
        )
        where kind <> 'NULL' order by all
    """)
    numbers: set[str] = set()
    labels: dict[str, list[str]] = {}
    for name, label in found:
        if label is None:
            numbers.add(text(name))
        else:
            labels.setdefault(text(name), []).append(text(label))
    return numbers, labels


def _must_differ(metrics: Iterable[Metric]) -> None:
    """Names of columns are told apart without their case."""
    seen: dict[str, str] = {}
    for metric in metrics:
        folded = metric.name.casefold()
        if folded in seen:
            raise InputError(
                f"the judge scores {seen[folded]!r} and {metric.name!r} cannot be told apart; give "
                "one of them another name"
            )
        seen[folded] = metric.name


def _named(called: str, options: JudgedOptions) -> Metric:
    """What a gate asks for by name: a score, its mean, or one of its labels."""
    name, colon, last = called.rpartition(":")
    if colon and last == _MEAN and name in options.judges:
        return _mean(called, name, options)
    if colon and called not in options.judges:
        return _label(name, last, options)
    return _number(called, options)


def _number(name: str, options: JudgedOptions) -> Metric:
    """The mean of a score; with a threshold, how many answers reach it."""
    own = options.judges.get(name)
    if own is None:
        return _mean(name, name, options)
    number, least = _number_of(name), own["threshold"]
    return _trusted(
        Ratio(
            name=f"{PREFIX}{name}",
            title="another tool's judge accepts",
            of=f"{number} is not null",
            hit=yes_sql(name, least),
            better=own["better"],
            says=f"Of the answers that another tool scores by {name}, how many it gives {least:g} "
            "or more.",
            extra=True,
        ),
        options,
    )


def _mean(called: str, name: str, options: JudgedOptions) -> Metric:
    number, better = _number_of(name), _better(name, options)
    return _trusted(
        Mean(
            name=f"{PREFIX}{called}",
            title="mean score of another tool's judge",
            of=f"{number} is not null",
            value=number,
            # Who knows which score is good enough? So none charges its row with anything.
            best=float(-MOST if better == "higher" else MOST),
            bounds=None,
            better=better,
            says=f"The mean of what another tool scores answers by {name}.",
            extra=True,
        ),
        options,
    )


def _label(name: str, label: str, options: JudgedOptions) -> Metric:
    said = _text_of(name)
    return _trusted(
        Ratio(
            name=f"{PREFIX}{name}:{label}",
            title="label of another tool's judge",
            of=f"{said} is not null",
            hit=yes_sql(f"{name}:{label}", None),
            better=_better(f"{name}:{label}", options),
            says=f"Of the answers that another tool labels by {name}, how many it calls {label}.",
            extra=True,
        ),
        options,
    )


def _better(called: str, options: JudgedOptions) -> Better:
    own = options.judges.get(called)
    return "lower" if own and own["better"] == "lower" else "higher"


def _trusted(metric: Ratio | Mean, options: JudgedOptions) -> Metric:
    barred, says = _trust(metric.name.removeprefix(PREFIX), options)
    return replace(metric, barred=barred, says=f"{metric.says}{says}")


def _pointer(name: str) -> str:
    return quoted("/" + name.replace("~", "~0").replace("/", "~1"))


def _number_of(name: str) -> str:
    """A score as a number, null where it is none, as SQL over the row; true is 1."""
    said = f"json_extract(judge, {_pointer(name)})::varchar"
    number = f"try_cast({said} as double)"
    return f"case {said} when 'true' then 1.0 when 'false' then 0.0 else {number} end"


def _text_of(name: str) -> str:
    """A score as a label, null where it is none, as SQL over the row."""
    at = _pointer(name)
    return f"case when json_type(judge, {at}) = 'VARCHAR' then json_extract_string(judge, {at}) end"


def yes_sql(called: str, threshold: float | None) -> str:
    """Whether a judge says yes, null where it says nothing, as SQL over the row.

    A number says yes from the threshold on; without one, a label does that the name ends in.
    """
    if threshold is not None:
        return f"({_number_of(called)}) >= {threshold!r}"
    name, _, label = called.rpartition(":")
    return f"({_text_of(name)}) = {quoted(label)}"


def label_columns(metrics: Iterable[Metric]) -> dict[str, str]:
    """The labels as columns of saved rows, `judge.tone`, where that is no number's column."""
    taken = {metric.name for metric in metrics}
    found: dict[str, str] = {}
    for metric in metrics:
        score, colon, _ = metric.name.rpartition(":")
        if colon and is_score(metric.name) and isinstance(metric, Ratio) and score not in taken:
            found[score] = _text_of(score.removeprefix(PREFIX))
    return found


def without_scores(numbers: Numbers) -> Numbers:
    """Where no answer has a score, there is no number: unmeasurable, not vacuous."""
    return {
        name: replace(found, value=None, numerator=None, interval=None, vacuous=False)
        if is_score(name) and not found.denominator
        else found
        for name, found in numbers.items()
    }


def toml_key(name: str) -> str:
    """A key of TOML, in quotes where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _trust(called: str, options: JudgedOptions) -> tuple[str, str]:
    """Why no gate may decide on a score; and where one may, by what calibration."""
    own = options.judges.get(called)
    if own is None:
        return (
            "another tool's opinion decides nothing until it is calibrated: ragstone.toml has no "
            f"[judge.{toml_key(called)}]"
        ), ""
    try:
        return _calibrated(called, own)
    except InputError as error:
        return f"not calibrated: {error}", ""


def _calibrated(called: str, own: Mapping[str, Any]) -> tuple[str, str]:
    # By its name alone: where it lies is a matter of the machine, and no report says so.
    path = Path(own["calibration"])
    file = path.name
    found = read_calibration(path, file)
    prompt = prompt_hash(Path(own["prompt"]))
    pairs = [
        ("score", found.score, called),
        ("model", found.model, own["model"]),
        ("prompt", found.prompt_sha256[:12], prompt[:12]),
        ("threshold", found.threshold, None if found.threshold is None else own["threshold"]),
    ]
    for what, then, now in pairs:
        if then != now:
            return f"not calibrated: {file} is of the {what} {then}, and it is {now} now", ""
    reason = why_not(found, own["kappa"])
    if reason:
        return f"not calibrated: {reason} ({file})", ""
    low, high = found.interval or (0.0, 0.0)
    return "", (
        f" Calibrated: kappa {found.kappa:.2f} ({low:.2f} to {high:.2f}) on {found.labels:,} "
        f"labels, model {found.model}, prompt {found.prompt_sha256[:12]}."
    )
