"""What the numbers say together: the likely layer, by rule, with the rows that prove it.

"Low" and "high" are the gates' own words: a metric is off when it misses its gate, or, where it has
none by default, the line that its suite draws. They are judged on the point, so a reading does not
change with the sample size. A metric whose gate the user turned off, or on which nothing was
tested, is never off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragstone.gates.gate import Judged
from ragstone.gates.judge import threshold
from ragstone.measure.metric import Measured
from ragstone.report.document.blocks import Finding
from ragstone.suites.declaration import O, Work
from ragstone.suites.offenders import count_rows, first_qids
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
    proofs = [(work.duck.condensed and rule.condensed) or rule.proof for rule in applying]
    total, *counts = count_rows(work.duck, arm, ["true", *proofs])
    explained = [
        (rows, rule, proof)
        for rows, rule, proof in zip(counts, applying, proofs, strict=True)
        if rows > rule.share * total
    ]
    explained.sort(key=lambda each: -each[0])
    same = _covered(work, arm, [proof for _, _, proof in explained])
    return tuple(
        Finding(
            rule.pattern,
            rule.reading + (f" {_SAME}" if covered else ""),
            first_qids(work.duck, arm, proof, work.options.limit),
            rule.title,
            rows,
        )
        for (rows, rule, proof), covered in zip(explained, same, strict=True)
    )


# What is said of a reading that explains no row of its own.
_SAME = "These rows are all among those of a reading above: mend that first."


def _covered(work: Work[O], arm: str, proofs: Sequence[str]) -> list[bool]:
    """Of each reading, whether all its rows are also those of one before it."""
    pairs = [(later, before) for later in range(len(proofs)) for before in range(later)]
    own = [f"({proofs[i]}) and not coalesce({proofs[j]}, false)" for i, j in pairs]
    alone = count_rows(work.duck, arm, own)
    covered = {i for (i, _), rows in zip(pairs, alone, strict=True) if not rows}
    return [place in covered for place in range(len(proofs))]
