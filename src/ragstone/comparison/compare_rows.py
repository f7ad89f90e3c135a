"""Two sets of verdict rows side by side: what is compared, what differs, and what is decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from ragstone.comparison.changed_labels import SHARE, ChangedLabels, changed_labels, without_verdict
from ragstone.comparison.compared_slices import Sliced, sliced_differences
from ragstone.comparison.divided_rows import each_part, parts_for_rows
from ragstone.comparison.metric_difference import MetricDifference, metric_difference
from ragstone.comparison.pairing import GoldPairs, counted_pairs, gold_pairs, shared_metrics
from ragstone.comparison.partial import Partial
from ragstone.comparison.protected import (
    must_be_known,
    named_questions,
    protected_gate,
    protected_metric,
)
from ragstone.comparison.regression_gates import margins_by_metric, regression_gates
from ragstone.comparison.row_sets import RowSet, SavedMetric
from ragstone.comparison.says import SHARES, Deciding, Test, change, own_margin, sentence
from ragstone.comparison.verdict import Verdict, verdict_of
from ragstone.comparison.waived_pairs import (
    REST,
    keep_waived,
    waived_of_metric,
    waived_states,
)
from ragstone.comparison.what_broke import WhatBroke, earlier_answers, what_broke
from ragstone.engine.duck import Duck
from ragstone.errors import InputError
from ragstone.gates.gate import Judged, Status, decide
from ragstone.gates.judge import NOTHING_TO_TEST
from ragstone.gates.margin import Margin, margins_given
from ragstone.measure.metric import Measured
from ragstone.measure.permutation import MID_P, holm
from ragstone.progress import doing
from ragstone.progress_task import Task
from ragstone.report.document.blocks import Answered
from ragstone.suites.options import Options
from ragstone.suites.registry import find_suite
from ragstone.suites.same_question import same_text_warning
from ragstone.suites.saved_rows import FIRST_ASKED
from ragstone.suites.waivers import Waived, Waiver

Differences = Mapping[str, MetricDifference]
K = TypeVar("K")


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparing:
    """How two sets are compared; what each means is said where it is an option.

    `beside` are questions whose earlier answers are wanted.
    """

    max_regression: Mapping[str, Margin] = field(default_factory=dict)
    margin: float = SHARES
    by: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    labels_share: float = SHARE
    confidence: float | None = None
    strict: bool = False
    limit: int | None = 10
    waive: tuple[Waiver, ...] = ()
    as_of: str | None = None
    waived: tuple[str, ...] = ()
    memory: int = 0
    temp: Path | None = None
    beside: tuple[str, ...] = ()

    @property
    def level(self) -> float:
        return self.confidence or 0.95


def comparing(options: Options) -> Comparing:
    """What the options of any suite say about comparing."""
    return Comparing(
        max_regression=margins_given(options.max_regression),
        margin=options.margin,
        by=options.by,
        protect=named_questions(options.protect),
        labels_share=options.labels_share,
        confidence=options.confidence,
        strict=options.strict,
        limit=options.limit,
        waive=options.waive,
        as_of=options.as_of,
        waived=options.waived,
        memory=options.memory_limit,
        temp=options.temp_folder,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """What a comparison came to, before it is rendered.

    `difference` has the metrics in order, `slices` those of them that were tested, by field and
    value, and `dropped` those that mean something else in the two sets, each with why. `broke` are
    the lists of questions that turned; `labels` says that the ids of gold went out of use.
    `changes` are the numbers behind the gates; where questions are waived, `gated` are the same
    without them, which the gates judge, and `waived` lists every waiver. `before` are the answers
    of A that were asked for, by qid.
    """

    a: RowSet
    b: RowSet
    how: Comparing
    gold: GoldPairs
    difference: Differences
    dropped: Mapping[str, str]
    broke: WhatBroke
    slices: Sliced = field(default_factory=dict)
    labels: ChangedLabels | None = None
    gates: tuple[Judged, ...] = ()
    changes: Mapping[str, Measured] = field(default_factory=dict)
    gated: Mapping[str, Measured] = field(default_factory=dict)
    waived: tuple[Waived, ...] = ()
    warnings: tuple[str, ...] = ()
    before: Mapping[str, Answered] = field(default_factory=dict)

    @property
    def decision(self) -> Status | None:
        return decide(self.gates)

    @property
    def verdict(self) -> Verdict | None:
        """What the tested metrics come to where no gate is set; None where gates decide."""
        if self.gates or self.unfrozen:
            return None
        tested = [each for each in self.difference.values() if each.tested]
        return verdict_of(tested, self.how.margin)

    @property
    def unfrozen(self) -> bool:
        """Whether a side was scored with gold that is not as it was frozen."""
        return self.a.unfrozen or self.b.unfrozen


def compared(duck: Duck, a: RowSet, b: RowSet, how: Comparing) -> Compared:
    """Pairs the questions, measures every metric that means the same in both sets, and judges.

    A part of the questions at a time where memory is short; what follows is said of what is kept
    of all of them (`comparison/partial.py`), and of nothing else.
    """
    # The questions are paired, then measured, and their labels looked at.
    with doing("comparing", 3, "passes", duck.share, step="comparing") as task:
        return _compared(duck, a, b, how, task)


def _compared(duck: Duck, a: RowSet, b: RowSet, how: Comparing, task: Task) -> Compared:
    metrics, dropped = shared_metrics(a, b)
    margins = margins_by_metric(b, how.max_regression, dropped)
    how = replace(how, max_regression=margins)
    parts = parts_for_rows(duck, how.memory)
    kept = _kept(duck, a, b, metrics, how)
    with task.piece():
        for _ in each_part(duck, parts):
            kept.add()
    gold = gold_pairs(kept.told, a, b)
    must_be_known(duck, kept.told, how.protect)
    with task.piece():
        found, empty = _differences(duck, a, b, metrics, how.level)
    dropped |= empty
    if not found:
        raise InputError(f"{a.name} and {b.name} have no metric in common to compare")
    family = [name for name in tested(b, how) if name in found]
    with task.piece():
        labels = changed_labels(duck, each_part(duck, parts), how.labels_share)
    gates, changes = _judged(kept, found, dropped, how)
    gated: Mapping[str, Measured] = {}
    if how.waived:
        gates, gated = _judged_without_waived(kept, dropped, how)
    known = {name: metrics[name] for name in margins if name in found}
    return Compared(
        a=a,
        b=b,
        how=how,
        gold=gold,
        difference=said(found, metrics, family, how),
        dropped=dropped,
        broke=what_broke(duck, kept.told, kept.most),
        slices=_sliced(duck, a, b, {name: metrics[name] for name in family}, how),
        labels=labels,
        gates=gates if labels is None else without_verdict(gates, labels),
        changes=changes,
        gated=gated,
        waived=waived_states(duck, kept.told, how.waive, how.waived, known),
        warnings=_warnings(duck, a, b),
        before=earlier_answers(duck, how.beside) if how.beside else {},
    )


def _kept(
    duck: Duck, a: RowSet, b: RowSet, metrics: Mapping[str, SavedMetric], how: Comparing
) -> Partial:
    """Nothing yet of any question, and what is to be known of each."""
    waive = (*(waiver.qid for waiver in how.waive), *how.waived)
    return Partial(duck, a, b, metrics, how.protect, waive, bool(how.by), how.limit)


def _judged(
    kept: Partial,
    found: Differences,
    dropped: Mapping[str, str],
    how: Comparing,
    waived: Sequence[str] = (),
) -> tuple[tuple[Judged, ...], dict[str, Measured]]:
    """Every gate with its verdict, and the numbers behind them."""
    out = {name: waived_of_metric(kept.duck, name) for name in kept.metrics if waived}
    gates, changes = regression_gates(
        found,
        how.max_regression,
        dropped,
        suite=kept.b.suite,
        barred={name: metric.barred for name, metric in kept.metrics.items()},
        waived=out,
        confidence=how.confidence,
    )
    protected = protected_gate(kept.told, how.protect, waived)
    return (*gates, *protected), {**changes, **protected_metric(protected)}


def _judged_without_waived(
    kept: Partial, dropped: Mapping[str, str], how: Comparing
) -> tuple[tuple[Judged, ...], dict[str, Measured]]:
    """The same without the waived questions; each gate says how many of its set that leaves out."""
    keep_waived(kept.duck, how.waived)
    found, empty = _differences(kept.duck, kept.a, kept.b, kept.metrics, how.level, REST)
    return _judged(kept, found, {**empty, **dropped}, how, how.waived)


def _differences(
    duck: Duck,
    a: RowSet,
    b: RowSet,
    metrics: Mapping[str, SavedMetric],
    level: float,
    pairs: str = "pairs",
) -> tuple[dict[str, MetricDifference], dict[str, str]]:
    """The difference of each metric; and of those that one side has no question for, why not."""
    found: dict[str, MetricDifference] = {}
    empty: dict[str, str] = {}
    for name, metric in metrics.items():
        untested = [side.name for side in (a, b) if name in side.untested]
        if untested:
            empty[name] = f"{NOTHING_TO_TEST} in {untested[0]}"
            continue
        counted = counted_pairs(duck, name, pairs)
        made = metric_difference(metric, counted, level)
        if made is not None:
            found[name] = made
        elif counted:
            lacks = a if all(before is None for before, _, _ in counted) else b
            empty[name] = f"no question in common is in its set in {lacks.name}"
    return found, empty


def _sliced(
    duck: Duck, a: RowSet, b: RowSet, metrics: Mapping[str, SavedMetric], how: Comparing
) -> Sliced:
    """The tested metrics by slice, corrected over all slices at once."""
    found = sliced_differences(duck, a, b, how.by, metrics, how.level)
    flat = {
        (field, value, name): each
        for field, values in found.items()
        for value, several in values.items()
        for name, each in several.items()
    }
    tests = _tests({key: each.p for key, each in flat.items()}, how.level)
    for (where, value, name), each in flat.items():
        key = (where, value, name)
        found[where][value][name] = replace(
            _said(each, metrics[name], tests.get(key), how), tested=True
        )
    return found


def _warnings(duck: Duck, a: RowSet, b: RowSet) -> tuple[str, ...]:
    several = []
    several_ids = f"select count({FIRST_ASKED}), count(distinct {FIRST_ASKED}) from pairs"
    ids, texts = duck.counts(several_ids)
    if ids:
        several.append(same_text_warning(ids, texts))
    if a.version != b.version:
        several.append(
            f"{a.name} was scored by version {a.version}, and {b.name} by {b.version}: what a "
            "check means may have changed between them"
        )
    return tuple(several)


def tested(b: RowSet, how: Comparing) -> tuple[str, ...]:
    """The metrics that are tested as one family.

    Those gated here, else those gated in B's run, else those that the suite compares arms in.
    """
    return tuple(how.max_regression) or b.gated or _compared_in(b)


def _compared_in(b: RowSet) -> tuple[str, ...]:
    """The metrics in which the suite compares arms, of those that B has."""
    suite = find_suite(b.suite)
    if suite.compared is None or suite.given_metrics:
        return ()
    several = suite.compared(suite.metrics(suite.options(**suite.fullest)))
    return tuple(metric.name for metric in several if metric.name in b.metrics)


def _tests(pvalues: Mapping[K, float | None], level: float) -> dict[K, Test]:
    """The tests of one family, corrected by Holm; what has no p is in none."""
    known = {key: p for key, p in pvalues.items() if p is not None}
    raised = holm([*known.values()])
    return {key: Test(p, level, len(known)) for key, p in zip(known, raised, strict=True)}


def said(
    found: Differences,
    metrics: Mapping[str, SavedMetric],
    family: Sequence[str],
    how: Comparing,
) -> dict[str, MetricDifference]:
    """The same differences with their corrected p-values and what each comes to in words."""
    tests = _tests({name: found[name].p for name in family}, how.level)
    return {
        name: replace(_said(each, metrics[name], tests.get(name), how), tested=name in family)
        for name, each in found.items()
    }


def _said(
    found: MetricDifference, metric: SavedMetric, test: Test | None, how: Comparing
) -> MetricDifference:
    margin = how.max_regression.get(metric.name) or own_margin(metric, how.margin)
    deciding = Deciding(
        seen=found.seen,
        level=how.level,
        higher_is_better=metric.better == "higher",
        size=None if margin is None else margin.around(found.a),
        test=test,
        yes_no=found.test == MID_P,
    )
    return replace(
        found,
        p_holm=None if test is None else test.p,
        margin=None if margin is None else str(margin),
        deciding=deciding,
        change=change(deciding),
        says=sentence(deciding, margin),
    )
