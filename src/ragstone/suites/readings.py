"""What the numbers say together: the likely layer, by rule, with the rows that prove it.

"Low" and "high" are the gates' own words: a metric is off when it misses its gate, or, where it has
none by default, the line that its suite draws. They are judged on the point. A metric whose gate
the user turned off, or on which nothing was tested, is never off. A reading is given where rows
carry it (`Rule`): one or two rows show no cause.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragstone.gates.gate import Judged
from ragstone.gates.judge import threshold
from ragstone.measure.metric import Measured
from ragstone.report.document.blocks import Finding
from ragstone.suites.declaration import O, Work
from ragstone.suites.offenders import behind, count_rows
from ragstone.suites.signs import Signs


def signs_of(
    measured: Mapping[str, Measured],
    gates: Sequence[Judged],
    lines: Mapping[str, str],
    repeats: bool = False,
) -> Signs:
    """The values that say something, and those beyond their gate or their suite's line."""
    known = {
        name: found
        for name, found in measured.items()
        if found.value is not None and not found.vacuous
    }
    limits = {gate.metric: gate.threshold for gate in gates if gate.name == gate.metric}
    off = set()
    for name, found in known.items():
        limit = limits.get(name)
        if limit is None and found.metric.gate is None and name in lines:
            limit = threshold(found.metric, lines[name])
        if limit is not None and found.value is not None and not limit.holds(found.value):
            off.add(name)
    values = {name: found.value or 0.0 for name, found in known.items()}
    return Signs(values, frozenset(off), repeats)


def findings(
    work: Work[O], arm: str, measured: Mapping[str, Measured], gates: Sequence[Judged]
) -> tuple[Finding, ...]:
    """The rules that apply, the one that explains most rows first, each with its first rows."""
    cluster = work.suite.cluster
    repeats = cluster is not None and cluster(work.options) is not None
    signs = signs_of(measured, gates, work.suite.lines, repeats)
    applying = [rule for rule in work.suite.readings if rule.applies(signs)]
    proofs = [rule.carrying(work.duck.condensed) for rule in applying]
    asked = [
        condition
        for rule, proof in zip(applying, proofs, strict=True)
        for condition in (rule.among or "false", rule.needs, proof)
    ]
    total, *sums = count_rows(work.duck, arm, ["true", *asked])
    explained = [
        (carrying, rule, proof)
        for among, needed, carrying, rule, proof in zip(
            sums[::3], sums[1::3], sums[2::3], applying, proofs, strict=True
        )
        if rule.is_carried(total, among, needed, carrying)
    ]
    explained.sort(key=lambda each: -each[0])
    proven = [proof for _, _, proof in explained]
    pairs = [(later, before) for later in range(len(proven)) for before in range(later)]
    alone = [f"({proven[i]}) and not coalesce({proven[j]}, false)" for i, j in pairs]
    lists, counts = behind(work.duck, arm, proven, work.options.limit, alone)
    # All rows of these are also those of a reading before them.
    covered = {i for (i, _), rows in zip(pairs, counts[len(proven) :], strict=True) if not rows}
    return tuple(
        Finding(
            rule.pattern,
            rule.reading + (f" {_SAME}" if place in covered else ""),
            qids,
            rule.title,
            rows,
        )
        for place, ((rows, rule, _), qids) in enumerate(zip(explained, lists, strict=True))
    )


# What is said of a reading that explains no row of its own.
_SAME = "These rows are all among those of a reading above: mend that first."
