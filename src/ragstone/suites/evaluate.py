"""One way from inputs to outcome, for every suite: the order of work is written here, once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError
from ragstone.gates.judge import Gates, merge, suggestion
from ragstone.measure.metric import Change, Count, Mean, Metric, Quantile, Ratio, bounded
from ragstone.progress import doing
from ragstone.progress_task import Task
from ragstone.report.document.blocks import Json
from ragstone.report.document.figures import titled
from ragstone.suites import slices
from ragstone.suites.arm_gates import judged_arms
from ragstone.suites.arm_numbers import measured_arms, numbers_by
from ragstone.suites.declaration import Arm, Numbers, O, Outcome, Suite, Work
from ragstone.suites.digest import digest
from ragstone.suites.foreign_inputs import translate_inputs
from ragstone.suites.inputs import read_inputs, sum_inputs
from ragstone.suites.judged_scores.score_names import is_score
from ragstone.suites.lock_place import has_lock
from ragstone.suites.offenders import charged, offenders, offending
from ragstone.suites.readings import findings
from ragstone.suites.same_question import SAME_QUESTIONS
from ragstone.suites.step_weights import amount_of, bytes_read, steps_of
from ragstone.suites.surveys import look_around
from ragstone.suites.waived_questions import (
    waived_in,
    waived_warnings,
    without_proof,
    without_waived,
)

if TYPE_CHECKING:
    from ragstone.suites.saved_rows import TakesRows


def run(
    suite: Suite[O],
    duck: Duck,
    sources: Mapping[str, tuple[Source, ...]],
    options: O,
    arms: tuple[Arm, ...] = (),
    keep: TakesRows | None = None,
    elsewhere: Callable[[Work[O]], None] | None = None,
    *,
    lists: bool = False,
) -> Outcome[O]:
    """Reads, makes the verdict rows, measures, judges, compares and explains, in this order.

    The rows stay in the engine (`rows`), for whoever wants to write them out; the outcome does not
    need it any more. `arms` are given where one input holds several, as --system does; `keep`
    takes what it wants of the rows while they are there. `elsewhere` reads and scores on other
    machines, and leaves the tables condensed. `lists` asks for the list of all questions.
    """
    work = Work(suite, duck, options, sources, arms or _arms(suite, sources))
    if options.memory_limit:
        duck.limit(options.memory_limit, options.temp_folder)
    # Names and numbers of gates are checked before a gigabyte is read.
    metrics, gates, parts = _in_force(work)
    with doing(
        suite.name, step="judging", steps=steps_of(work, lists=lists, kept=keep is not None)
    ):
        return _carried_out(work, (metrics, gates, parts), keep, elsewhere, lists=lists)


def _carried_out(
    work: Work[O],
    in_force: tuple[tuple[Metric, ...], Gates, list[Gates]],
    keep: TakesRows | None,
    elsewhere: Callable[[Work[O]], None] | None,
    *,
    lists: bool,
) -> Outcome[O]:
    suite, duck, options = work.suite, work.duck, work.options
    metrics, gates, parts = in_force
    if lists:
        from ragstone.suites.question_rows import listing_of

        work.listing = listing_of(work, metrics, {*gates}.union(*parts))
    translate_inputs(work)
    if options.map:
        from ragstone.suites.mapped_paths import must_be_found

        must_be_found(work)
    if elsewhere is not None:
        with doing("scoring on Spark", step="scoring"):
            elsewhere(work)
    else:
        with doing("reading", bytes_read(work), "B", duck.share, step="reading"):
            (suite.read or read_inputs)(work)
        look_around(work, (SAME_QUESTIONS,))
    if has_lock(work):
        from ragstone.suites.frozen_gold import must_be_frozen

        with doing("checking the lock", step="lock"):
            must_be_frozen(work)
    if options.slice_fields:
        with doing("slicing", *amount_of(work), duck.share, step="slicing"):
            slices.must_be_known(duck, suite.slices_of, options.slice_fields)
    _choose_arms(work)
    if elsewhere is None:
        _make_rows(work, whole=keep is not None)
    if suite.found_metrics:
        named = _within_bounds(suite.found_metrics(work), (gates, *parts))
        metrics = _with_found(metrics, named)
    sum_inputs(work)
    if suite.concludes:
        suite.concludes(work)
    if suite.late_gates:
        late = suite.late_gates(work, suite.default_gates(metrics, options))
        gates = merge({}, [*late, *options.gates], metrics, getattr(options, "k", None))
    # Over the rows once for all of them, once for each field they are sliced by, once for the
    # lists, and once for what only this suite shows.
    passes = 3 + len(options.by)
    with doing("measuring", passes, "passes", duck.share, step="measuring") as task:
        outcome = _outcome(work, metrics, gates, parts, task)
    if lists:
        with doing("listing questions", *amount_of(work), duck.share, step="listing"):
            outcome = _listed(work, outcome)
    if keep is not None:
        with doing("keeping the rows", *amount_of(work), duck.share, step="keeping"):
            keep.take(work, outcome)
    return outcome


def _listed(work: Work[O], outcome: Outcome[O]) -> Outcome[O]:
    """The outcome with what only a page shows: the list of all questions, which parts have gathered
    before, and the texts behind offenders."""
    from ragstone.suites.offender_texts import with_chunks
    from ragstone.suites.question_rows import gather_questions, question_list

    if not work.parted:
        gather_questions(work)
    shown = replace(outcome.offenders, rows=with_chunks(work, outcome.offenders.rows))
    return replace(outcome, questions=question_list(work, outcome), offenders=shown)


def _make_rows(work: Work[O], *, whole: bool) -> None:
    """The verdict rows of every arm; in parts where memory is short and nobody wants all rows."""
    memory = work.options.memory_limit
    if memory and work.suite.in_parts and not work.undivided and not whole:
        from ragstone.suites.in_parts import parts_for, score_in_parts

        parts = parts_for(work, memory)
        if parts > 1:
            score_in_parts(work, parts)
            return
    with doing("scoring", *amount_of(work), work.duck.share, step="scoring") as task:
        for arm in work.arms:
            with task.piece(task.total / len(work.arms)):
                work.suite.rows(work, arm)


def _in_force(work: Work[O]) -> tuple[tuple[Metric, ...], Gates, list[Gates]]:
    """The metrics that these inputs give or a gate asks for, the gates, and those of the slices."""
    suite, options = work.suite, work.options
    every = suite.given_metrics(work) if suite.given_metrics else suite.metrics(options)
    k = getattr(options, "k", None)
    given = tuple(each for each in every if not each.needs or work.sources.get(each.needs))
    defaults = suite.default_gates(given, options)
    gates = merge({}, [*defaults, *options.gates], every, k)
    work.optional = frozenset() if options.strict else frozenset(merge({}, defaults, every, k))
    parts = [merge({}, part.gates, every, k) for part in options.slices]
    gated = set(gates).union(*parts)
    for each in every:
        if isinstance(each, Change) and any(each.name in part for part in parts):
            raise ConfigError(f"slices: {each.name} is not measured by slice")
    # A gate on a number that cannot be had is unmeasurable; dropping it would look like a pass.
    kept = tuple(each for each in every if each in given or each.name in gated)
    return _within_bounds(kept, (gates, *parts)), gates, parts


def _within_bounds(metrics: tuple[Metric, ...], named: Sequence[Gates]) -> tuple[Metric, ...]:
    """The metrics, of which some have the bound that a gate names for their values."""
    limits = [each for gates in named for each in gates.items()]
    most = {name: limit.most for name, limit in limits if limit.most is not None}
    return tuple(
        bounded(metric, most[metric.name]) if metric.name in most else metric for metric in metrics
    )


def _with_found(metrics: tuple[Metric, ...], found: tuple[Metric, ...]) -> tuple[Metric, ...]:
    """The metrics with those that the rows name, which know best what they are."""
    names = {metric.name for metric in found}
    return (*(metric for metric in metrics if metric.name not in names), *found)


def _arms(suite: Suite[O], sources: Mapping[str, tuple[Source, ...]]) -> tuple[Arm, ...]:
    """An arm per input that is one; a lone arm needs no name."""
    named = [each.name for each in suite.inputs if each.arms and sources.get(each.name)]
    if len(named) == 1:
        return (Arm("", f"{named[0]}_0", sources[named[0]]),)
    return tuple(Arm(name, name, sources[name]) for name in named)


def _choose_arms(work: Work[O]) -> None:
    """Whom the others are compared with, whose numbers come first, and who is judged."""
    names = _shown_arms(work)
    for wanted in ("baseline", "judge"):
        given = getattr(work.options, wanted, None)
        if given is not None and given not in names:
            known = suggestion(given, names)
            if names == ("",):
                raise ConfigError(f"{wanted}: no system and no file is called {given!r}")
            raise ConfigError(f"{wanted}: no {work.suite.arm_word} is called {given!r}{known}")
    work.baseline = work.baseline or getattr(work.options, "baseline", None) or names[0]
    work.shown = work.shown or names[0]
    only = getattr(work.options, "judge", None)
    work.judged = work.judged or ((only,) if only else names)


def _shown_arms(work: Work[O]) -> tuple[str, ...]:
    return tuple(arm.name for arm in work.arms if not arm.reference)


def _outcome(
    work: Work[O], metrics: tuple[Metric, ...], gates: Gates, parts: list[Gates], task: Task
) -> Outcome[O]:
    options, suite = work.options, work.suite
    with task.piece():
        measured = measured_arms(work, metrics)
    metrics, measured = _tested(metrics, measured, {*gates}.union(*parts))
    if suite.first:
        work.shown = suite.first(work, measured)
    decided = _decided(work, metrics, gates, parts) if options.waived else {}
    # Over every row last: what a suite notes while it judges is shown, and shows every row.
    judged = judged_arms(work, metrics, measured, gates, parts)
    decided = decided or {"gates": judged, "offending": offending(work, metrics, judged)}
    names = _shown_arms(work)
    compared = suite.compared(metrics) if suite.compared and len(names) > 1 else ()
    own = [gate for gate in judged if gate.arm == work.shown]
    with task.piece():
        costly = charged(work, metrics, judged)
        worst = offenders(work, work.arm(work.shown), costly, own)
    outcome: Outcome[O] = Outcome(
        suite=suite,
        options=options,
        metrics=metrics,
        arms=names,
        baseline=work.baseline,
        shown=work.shown,
        inputs=_inputs(work),
        measured={name: measured[name] for name in names},
        gates_on_all=judged,
        waived=waived_in(work, metrics, judged),
        lacks=suite.main.lacks(decided["gates"], measured, options.settings()),
        **decided,
        **_sliced(work, metrics, task),
        **_compared(work, compared, names),
        offenders=worst,
        findings=findings(work, work.shown, measured[work.shown], own),
        files={arm.name: arm.sources for arm in work.arms},
    )
    with task.piece():
        facts: Mapping[str, Any] = suite.facts(work, outcome) if suite.facts else {}
    outcome = replace(outcome, facts=facts)
    warnings = (*_warnings(outcome), *work.warnings, *waived_warnings(outcome.waived))
    if suite.warns:
        warnings += tuple(suite.warns(outcome))
    outcome = replace(outcome, warnings=warnings, notice=work.notice, unfrozen=work.unfrozen)
    return replace(outcome, digest=digest(outcome))


def _decided(
    work: Work[O], metrics: tuple[Metric, ...], gates: Gates, parts: list[Gates]
) -> dict[str, Any]:
    """What the gates come to without the rows of waived questions."""
    with without_waived(work, metrics):
        measured = {
            arm: without_proof(work, arm, numbers)
            for arm, numbers in measured_arms(work, metrics).items()
        }
        judged = judged_arms(work, metrics, measured, gates, parts)
        worst = offending(work, metrics, judged)
    shown = {name: measured[name] for name in _shown_arms(work)}
    return {"gates": judged, "gated": shown, "offending": worst}


def _compared(work: Work[O], metrics: tuple[Metric, ...], names: tuple[str, ...]) -> dict[str, Any]:
    """Every arm beside the baseline, and the questions in which they differ most."""
    if not metrics:
        return {}
    from ragstone.measure.arm_differences import compare, differing

    level = work.options.level
    # Each test makes the others of its family weaker: what other tools say is one of its own.
    own = tuple(metric for metric in metrics if not is_score(metric.name))
    scores = tuple(metric for metric in metrics if is_score(metric.name))
    tests = compare(work.duck, own, names, work.baseline, level)
    found: dict[str, Any] = {"comparisons": tests}
    if scores:
        found["judge_comparisons"] = compare(work.duck, scores, names, work.baseline, level)
    apart, limit = metrics[work.suite.apart], work.options.limit
    if isinstance(apart, Ratio | Count | Mean | Quantile):
        found["differing"] = differing(work.duck, apart, names, work.baseline, limit)
    return found


def _tested(
    metrics: tuple[Metric, ...], measured: dict[str, Numbers], gated: Collection[str]
) -> tuple[tuple[Metric, ...], dict[str, Numbers]]:
    """The same without the extra metrics that have nothing to test in any arm and no gate."""
    kept = {
        metric.name: metric
        for metric in metrics
        if not metric.extra
        or metric.name in gated
        or any(found[metric.name].tested for found in measured.values() if metric.name in found)
    }
    only = {
        arm: {name: each for name, each in numbers.items() if name in kept}
        for arm, numbers in measured.items()
    }
    return tuple(kept.values()), only


def _sliced(work: Work[O], metrics: tuple[Metric, ...], task: Task) -> dict[str, Any]:
    """From field to arm to value to the numbers of that slice, and what is left out by field."""
    fields = work.options.slice_fields
    found: dict[str, dict[str, dict[str, Numbers]]] = {}
    left_out: dict[str, slices.LeftOut] = {}
    for name in work.options.by:
        every = slices.sliced(work.suite.slices_of, fields.index(name), work.suite.slice_key)
        tables, rest = slices.largest(work.duck, every)
        if rest is not None:
            left_out[name] = rest
        with task.piece():
            found[name] = {
                arm: numbers_by(work, metrics, arm, "slice", tables) for arm in _shown_arms(work)
            }
    return {"slices": found, "slices_left_out": left_out}


def _inputs(work: Work[O]) -> dict[str, Json]:
    """The counts of what came in, and the hash of the content of each input."""
    if work.suite.came_in:
        return work.suite.came_in(work)
    found: dict[str, Json] = dict(work.counts or work.lines)
    for given in work.suite.inputs:
        tables = [given.name]
        if given.arms:
            tables = [arm.table for arm in work.arms if arm.table.startswith(given.name)]
        hashes = [work.sums[table].finish() for table in tables if table in work.sums]
        if hashes:
            found[f"{given.name}_hash"] = hashes[0] if len(hashes) == 1 else " ".join(hashes)
    return found


def _warnings(outcome: Outcome[O]) -> tuple[str, ...]:
    kinds = {metric.name: metric for metric in outcome.metrics}
    found = [
        f"{titled(gate.name, kinds.get(gate.metric))} has {gate.note}"
        for gate in outcome.gates
        if gate.tests_nothing
    ]
    found += [
        f"the gate {gate.name} {gate.threshold} always ends the same: the metric is from 0 to 1"
        for gate in outcome.gates
        if isinstance(kinds[gate.metric], Ratio) and not 0 <= gate.threshold.value <= 1
    ]
    return tuple(found)
