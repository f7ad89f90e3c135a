"""The ranking measures: their names, what each means, and its SQL over a row of kernel.sql.

A measure is a value: `ndcg@10` is the same word on the command line, in the report and in the
docs. Where a formula would divide by 0, the measure is 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragstone.contracts.plain_numbers import clipped, whole_number
from ragstone.errors import ConfigError, InputError
from ragstone.gates.judge import suggestion
from ragstone.measure.metric import Mean

_WITHIN = "len(list_filter(relevant, lambda r: r <= {k}))"
_SQL: Mapping[str, str] = {
    "P": f"{_WITHIN} / {{k}}",
    "R": f"{_WITHIN} / nullif(n_rel, 0)",
    "success": "(relevant[1] <= {k})::integer",
    "mrr": "case when relevant[1] <= {k} then 1 / relevant[1] end",
    "map": """list_sum(list_transform(
        list_filter(relevant, lambda r: r <= {k}), lambda r, nth: nth / r
    )) / nullif(n_rel, 0)""",
    "rprec": "len(list_filter(relevant, lambda r: r <= n_rel)) / nullif(n_rel, 0)",
    # n: the place among the judged; what stands before it and is not relevant is judged worse
    "bpref": """list_sum(list_transform(
        list_filter(
            list_transform(
                hits, lambda h, n: case when h.grade >= getvariable('level') then n end
            ),
            lambda n: n is not null
        ),
        lambda n, nth: case when n = nth then 1::double
            else 1::double - least(n - nth, n_rel) / least(n_nonrel, n_rel) end
    )) / nullif(n_rel, 0)""",
    "ndcg": """list_sum(list_transform(
        list_filter(hits, lambda h: h.rank <= {k} and h.grade > 0),
        lambda h: {of_hit} / discount(h.rank)
    )) / list_sum(list_transform(
        gains[:{k}], lambda g, rank: {of_gain} / discount(rank)
    ))""",
}
_SAYS: Mapping[str, str] = {
    "P": "The share of the first {k} documents that are relevant.",
    "R": "The share of the relevant documents that stand among the first {k}.",
    "success": "The share of questions with a relevant document among the first {k}.",
    "mrr": "One over the rank of the first relevant document{within}.",
    "map": "Precision at the rank of each relevant document{within}, averaged over all of them.",
    "rprec": "Precision at as many documents as are relevant.",
    "bpref": "How rarely a document judged not relevant stands before a relevant one; documents "
    "nobody judged are left out.",
    "ndcg": "The gain of the documents{within}, less the deeper they stand, over that of the best "
    "order of all relevant documents.",
}
_TITLES: Mapping[str, str] = {
    "P": "share of the first {k} that is relevant",
    "R": "share of the relevant in the first {k}",
    "success": "something relevant in the first {k}",
    "mrr": "first relevant document near the top{cut}",
    "map": "relevant documents near the top{cut}",
    "rprec": "relevant share at the ideal depth",
    "bpref": "relevant above those judged irrelevant",
    "ndcg": "right order of the {first}",
}
_NEEDS_K = ("P", "R", "success")
# 2^1024 is more than a float holds.
MOST_EXPONENTIAL = 1000
_TAKES_K = ("P", "R", "success", "ndcg", "map", "mrr")

# Every rank down to the cut has its discount in a table, which takes memory.
MOST_CUT = 1_000_000

# How trec_eval, ir_measures and ranx spell them.
_SPELLINGS: Mapping[str, str] = {
    **dict.fromkeys(("p", "precision"), "P"),
    **dict.fromkeys(("r", "recall"), "R"),
    **dict.fromkeys(("success", "hit_rate"), "success"),
    **dict.fromkeys(("mrr", "rr", "recip_rank"), "mrr"),
    **dict.fromkeys(("map", "ap", "map_cut"), "map"),
    **dict.fromkeys(("rprec", "r-precision"), "rprec"),
    **dict.fromkeys(("bpref",), "bpref"),
    **dict.fromkeys(("ndcg", "ndcg_cut"), "ndcg"),
}
_TREC = {
    "P": "P_{k}",
    "R": "recall_{k}",
    "success": "success_{k}",
    "mrr": "recip_rank",
    "map": "map",
    "rprec": "Rprec",
    "bpref": "bpref",
    "ndcg": "ndcg",
}
# What is measured where no measure is asked for.
DEFAULT = ("ndcg@10", "map", "mrr", "P@10", "R@10", "bpref", "rprec")
_KNOWN = ("ndcg@10", "ndcg@10_exp", "P@5", "R@10", "success@5", "map", "mrr", "bpref", "rprec")
_NAME = re.compile(
    r"(?P<base>[a-z][a-z_-]*?)(?:[@._](?P<k>-?[0-9]+))?(?P<exp>_exp)?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Measure:
    """One ranking measure; `k` is None where the whole ranking counts.

    >>> measure("ndcg_cut_10"), measure("P.5").name, measure("RR").name, measure("ndcg@5_exp").name
    (Measure(base='ndcg', k=10, exponential=False), 'P@5', 'mrr', 'ndcg@5_exp')
    """

    base: str
    k: int | None = None
    exponential: bool = False

    @property
    def name(self) -> str:
        at = "" if self.k is None else f"@{self.k}"
        return f"{self.base}{at}{'_exp' if self.exponential else ''}"

    @property
    def trec_name(self) -> str:
        """What trec_eval prints for it."""
        if self.k is not None and self.base in ("ndcg", "map"):
            return f"{self.base}_cut_{self.k}{'_exp' if self.exponential else ''}"
        if self.k is not None and self.base == "mrr":
            return f"recip_rank_{self.k}"
        return _TREC[self.base].format(k=self.k)

    @property
    def says(self) -> str:
        within = "" if self.k is None else f" among the first {self.k}"
        gain = " A grade g gains 2^g - 1." if self.exponential else ""
        return _SAYS[self.base].format(k=self.k, within=within) + gain

    @property
    def title(self) -> str:
        """Its plain name."""
        first = "ranking" if self.k is None else f"first {self.k}"
        cut = "" if self.k is None else f", {first}"
        title = _TITLES[self.base].format(k=self.k, first=first, cut=cut)
        return f"{title}{', by grade' if self.exponential else ''}"

    @property
    def sql(self) -> str:
        """Its value for one row of the kernel."""
        gain = "(pow(2::double, {}) - 1)" if self.exponential else "{}"
        # Longer than any ranking: what is not cut needs no formula of its own.
        k = 2_147_483_647 if self.k is None else self.k
        value = _SQL[self.base].format(k=k, of_hit=gain.format("h.grade"), of_gain=gain.format("g"))
        return f"coalesce({value}, 0)::double"


def measure(name: str) -> Measure:
    """The measure behind a name, as this project, trec_eval, ir_measures or ranx write it."""
    found = _NAME.fullmatch(name.strip())
    base = _SPELLINGS.get(found["base"].lower()) if found else None
    if found is None or base is None:
        raise ConfigError(f"there is no ranking measure {name!r}{suggestion(name, _KNOWN)}")
    k = None if found["k"] is None else whole_number(found["k"])
    if found["k"] is not None and (k is None or not 1 <= k <= MOST_CUT):
        cut = clipped(found["k"] if k is None else k)
        raise ConfigError(f"{name[:60]}: expected a cut from 1 to {MOST_CUT:,}, found {cut}")
    if k is None and base in _NEEDS_K:
        raise ConfigError(f"{name} needs a cut, such as {base}@10")
    if k is not None and base not in _TAKES_K:
        raise ConfigError(f"{name}: {base} takes no cut")
    if found["exp"] and base != "ndcg":
        raise ConfigError(f"{name}: only ndcg has exponential gains")
    return Measure(base, k, bool(found["exp"]))


def ranking_metric(found: Measure, of: str) -> Mean:
    """The mean of a ranking measure over a set of questions.

    >>> ranking_metric(measure("P@5"), "scored").says
    'The share of the first 5 documents that are relevant.'
    """
    return Mean(
        name=found.name,
        title=found.title,
        of=of,
        value=f'"{found.name}"',
        empty=1.0,
        better="higher",
        says=found.says,
    )


def deepest(measures: Iterable[Measure]) -> int:
    """How many ranks a table of discounts must cover."""
    return max([m.k or 0 for m in measures if m.base == "ndcg"], default=0)


def too_large(name: str) -> InputError:
    """The error for grades whose exponential gain is more than a number can be."""
    return InputError(
        f"{name}: expected grades of at most {MOST_EXPONENTIAL:,}, because 2^grade must be a "
        f"number; {name.removesuffix('_exp')} takes larger ones"
    )


def needs_all_judged(measures: Iterable[Measure]) -> bool:
    """Whether documents judged not relevant matter too."""
    return any(m.base == "bpref" for m in measures)
