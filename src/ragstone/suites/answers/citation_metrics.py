"""How exact citations are: who cites everything that was retrieved gains nothing by it."""

from __future__ import annotations

from ragstone.measure.metric import Mean, Metric

_OF = "shipped and answerable and gold_count > 0"
_PRECISION = "case when cited_ids = 0 then 0.0::double else cited_gold::double / cited_ids end"
# Both over the same row: 2pr / (p + r), written with whole numbers.
_F1 = (
    "case when cited_gold = 0 then 0.0::double else 2.0::double * cited_gold * gold_cited "
    "/ (cited_gold * gold_count + gold_cited * cited_ids) end"
)

CITATION_METRICS: tuple[Metric, ...] = (
    Mean(
        name="citation_precision",
        title="share of the citations that are evidence",
        of=_OF,
        value=_PRECISION,
        empty=1.0,
        says="Of the distinct ids that an answer cites, the share that is evidence; 0 where it "
        "cites nothing.",
        extra=True,
    ),
    Mean(
        name="citation_recall",
        title="share of the evidence that is cited",
        of=_OF,
        value="gold_cited::double / gold_count",
        empty=1.0,
        says="Of the evidence of a question, the share that its answer cites.",
        extra=True,
    ),
    Mean(
        name="citation_f1",
        title="citations exact and complete",
        of=_OF,
        value=_F1,
        empty=1.0,
        says="The harmonic mean of an answer's citation precision and recall, averaged over the "
        "answers.",
        extra=True,
    ),
    Mean(
        name="uncited",
        title="sentences that cite nothing",
        of=f"{_OF} and sentences > 0",
        value="bare_sentences::double / sentences",
        better="lower",
        best=0.0,
        says="Of the sentences of an answer that is given in sentences (`claims`), the share that "
        "cites nothing.",
        untested="no answer is given in sentences (claims)",
        extra=True,
    ),
)
