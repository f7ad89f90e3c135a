"""What the numbers say together: the likely layer, by rule, with the rows that prove it.

"Low" and "high" are the gates' own words: a metric is low when it misses its gate, or, where it has
none, the default below. They are judged on the point, so a reading does not change with the sample
size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragstone.engine.duck import Duck
from ragstone.gates.gate import Judged
from ragstone.measure.metric import Measured
from ragstone.suites.answers.evidence import first_qids
from ragstone.suites.evidence import Finding

# Lines for metrics the user has not gated.
_LOW = {"precision": 0.80, "chr": 0.75, "recall@k": 0.80}
_HIGH = {"under_refusal": 0.05, "over_refusal": 0.10}
# chr this far below what citing from the first k allows is "far below".
_GAP = 0.10


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern over low and high metrics, its reading, and where its proof is found."""

    pattern: str
    reading: str
    applies: Callable[[Numbers], bool]
    proof: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """The values, and which of them are off."""

    values: Mapping[str, float]
    off: frozenset[str]

    def bad(self, name: str) -> bool:
        return name in self.off


_SHIPPED = "shipped and answerable"
_UNCITED = "shipped and not (answerable and cited)"

RULES = (
    Rule(
        "precision low, chr low",
        "grounding is broken: drift between what is retrieved and what is said",
        lambda n: n.bad("precision") and n.bad("chr"),
        _UNCITED,
    ),
    Rule(
        "precision low, chr high",
        "right evidence, wrong claim: claim schema or gold substrings",
        lambda n: n.bad("precision") and not n.bad("chr"),
        f"{_SHIPPED} and cited and not (contained and intact)",
    ),
    Rule(
        "under_refusal high",
        "refusal contract not enforced",
        lambda n: n.bad("under_refusal"),
        "not answerable and shipped",
    ),
    Rule(
        "over_refusal high, recall@k high",
        "guard too strict, evidence was there",
        lambda n: n.bad("over_refusal") and not n.bad("recall@k"),
        "answerable and refused and recalled",
    ),
    Rule(
        "over_refusal high, recall@k low",
        "retrieval loses the evidence: chunk size, k, index",
        lambda n: n.bad("over_refusal") and n.bad("recall@k"),
        "answerable and refused and not recalled",
    ),
    Rule(
        "chr far below chr_bound@k",
        "evidence retrieved but not cited: citation schema or reranking",
        lambda n: n.values["chr_bound@k"] - n.values["chr"] > _GAP + 1e-9,
        f"{_SHIPPED} and reachable and not cited",
    ),
    Rule(
        "recall@k low",
        "index or manifest drift, retrieval logic",
        lambda n: n.bad("recall@k"),
        "answerable and not recalled",
    ),
    Rule(
        "unscoped > 0",
        "the pipeline cites what it did not retrieve",
        lambda n: n.values["unscoped"] > 0,
        "shipped and not scoped",
    ),
    Rule(
        "scu_violations > 0",
        "constraints not echoed, or contradicted: lock and echo them",
        lambda n: n.values["scu_violations"] > 0,
        "shipped and constrained and not intact",
    ),
    Rule(
        "the same question flips between runs or environments",
        "index, normaliser or model differ: compare manifests",
        lambda n: n.values["flips"] > 0,
        "qid in (select qid from rows group by qid having count(distinct (refused, shipped, "
        "contained, cited)) > 1)",
    ),
)


def read(
    duck: Duck,
    measured: Mapping[str, Measured],
    gates: Sequence[Judged],
    limit: int | None,
    repeats: bool = False,
) -> tuple[Finding, ...]:
    """The rules that apply, in the order of the spec, each with its first rows.

    `repeats` says that questions may have several rows (--keep all): only then can one flip.
    """
    numbers = _numbers(duck, measured, gates, repeats)
    return tuple(
        Finding(rule.pattern, rule.reading, first_qids(duck, rule.proof, limit))
        for rule in RULES
        if rule.applies(numbers)
    )


def _numbers(
    duck: Duck, measured: Mapping[str, Measured], gates: Sequence[Judged], repeats: bool
) -> Numbers:
    values = {name: found.value for name, found in measured.items() if found.value is not None}
    flips = 0
    if repeats:
        flips = int(str(duck.one(f"select count(*) from rows where {RULES[-1].proof}")[0]))
    values["flips"] = flips
    limits = {gate.name: gate.threshold for gate in gates}
    off = set()
    for name, line in {**_LOW, **_HIGH}.items():
        if measured[name].vacuous:
            continue
        if name in limits:
            missed = not limits[name].holds(values[name])
        else:
            missed = values[name] < line if name in _LOW else values[name] > line
        if missed:
            off.add(name)
    return Numbers(values, frozenset(off))
