"""The retrieval suite's metrics, over one verdict row per question.

A question's runs (paraphrases × seeds) are averaged first, so a row holds shares: `r_5` is its mean
recall in the first 5, `coverage` the share of its runs whose answer is covered.
"""

from __future__ import annotations

from ragstone.measure.metric import Mean, Metric, Quantile, Ratio

KS = (1, 3, 5, 10)

# The lines of the spec for ΔS. A calibrated line L scales all of them by L / LINE, which is the
# column `scale`: each log has its own embedder, and so its own scale.
LINE, STABLE, RISK = 0.45, 0.40, 0.60
_ROOM = 1e-9
BELOW_STABLE = f"delta_s < {STABLE} * scale - {_ROOM}"
BELOW_RISK = f"delta_s < {RISK} * scale - {_ROOM}"


def _recall(k: int) -> Mean:
    return Mean(
        name=f"R@{k}",
        title=f"share of the relevant in the first {k}",
        value=f"r_{k}",
        says=f"Of a question's relevant ids, how many are in the first {k} positions.",
    )


RECALLS = {f"R@{k}": _recall(k) for k in KS}
METRICS: tuple[Metric, ...] = (
    *(
        Mean(
            name=f"P@{k}",
            title=f"share of the first {k} that is relevant",
            value=f"p_{k}",
            says=f"Of the distinct ids in the first {k} positions, how many are relevant; divides "
            "by their number (context.P@k divides by k).",
        )
        for k in KS
    ),
    *RECALLS.values(),
    *(
        Mean(
            name=f"anchor_hit@{k}",
            title=f"right section in the first {k}",
            of="anchored",
            value=f"anchor_{k}",
            says=f"How often an id in the first {k} positions lies in the anchor section, over the "
            "questions that have one; without those whose retrieved ids all name no section.",
            share=True,
        )
        for k in KS
    ),
    Mean(
        name="coverage",
        title="answers that cite something relevant",
        value="coverage",
        says="Of all gold questions, how many have an answer that cites a relevant id or the "
        "anchor section.",
        gate=">= 0.70",
        share=True,
    ),
    Mean(
        name="citation_accuracy",
        title="first citation at the right place",
        of="answered",
        value="accuracy",
        says="Of the answers, how many cite first a relevant id, in its own section, at bytes that "
        "meet the gold span widened by 30 on each side.",
        gate=">= 0.95",
        share=True,
    ),
    Mean(
        name="citation_accuracy_all",
        title="first citation right, of all questions",
        value="accuracy_all",
        says="The same over all gold questions and all of their runs: no answer is no accurate "
        "citation.",
        share=True,
    ),
    Mean(
        name="citation_iou",
        title="overlap of cited and expected passage",
        of="iou is not null",
        value="iou",
        says="How much of the cited bytes and the gold span is common to both, over answers that "
        "cite a relevant id first.",
    ),
    Mean(
        name="anchor_proximity",
        title="steps from the cited to the right section",
        of="proximity is not null",
        value="proximity",
        better="lower",
        best=0.0,
        bounds=None,
        says="Steps in the title tree between the section cited first and the anchor.",
    ),
    Quantile(
        name="delta_s_median",
        title="distance of question and snippet, median",
        of="delta_s is not null",
        value="delta_s",
        q=0.5,
        better="lower",
        says="The median ΔS between question and first cited snippet (with no answers: rank 1).",
    ),
    Quantile(
        name="delta_s_p90",
        title="distance of question and snippet, 90 % below",
        of="delta_s is not null",
        value="delta_s",
        q=0.9,
        better="lower",
        says="The 90th percentile of the same ΔS.",
    ),
    Ratio(
        name="delta_s_stable",
        title="snippet close to the question",
        of="delta_s is not null",
        hit=BELOW_STABLE,
        says="The share of questions whose ΔS is stable (below 0.40).",
    ),
    Ratio(
        name="delta_s_transitional",
        title="snippet not quite close to the question",
        of="delta_s is not null",
        hit=f"not ({BELOW_STABLE}) and {BELOW_RISK}",
        better="lower",
        says="The share of questions whose ΔS is transitional (0.40 to below 0.60).",
    ),
    Ratio(
        name="delta_s_risk",
        title="snippet far from the question",
        of="delta_s is not null",
        hit=f"not ({BELOW_RISK})",
        better="lower",
        says="The share of questions whose ΔS is at risk (0.60 and above).",
    ),
    Ratio(
        name="delta_s_over",
        title="snippet too far from the question",
        of="delta_s is not null",
        hit=f"delta_s > {LINE} * scale + {_ROOM}",
        better="lower",
        says="The share of answered questions whose cited ΔS is above 0.45.",
        gate="= 0",
    ),
    *(
        Mean(
            name=f"negative_above@{k}",
            title=f"known wrong above right in the first {k}",
            of="has_negatives",
            value=f"negative_{k}",
            better="lower",
            best=0.0,
            says=f"How often, in the first {k} positions, a marked hard negative stands above the "
            "first relevant id, or is there when no relevant id is.",
            share=True,
        )
        for k in KS
    ),
    Ratio(
        name="missing",
        title="questions that were never run",
        hit="missing",
        better="lower",
        says="Of all gold questions, how many the log never ran; they count as nothing retrieved.",
    ),
    Ratio(
        name="lambda_convergence",
        title="convergence of reruns",
        of="runs >= 2",
        hit="converges",
        over="triplets",
        cluster="qid",
        says="Of the triplets (one question, one seed, its paraphrases), how many converge: every "
        "run is →, or all share their first relevant hit.",
        gate=">= 0.95",
    ),
)

# Numbers that need answers, gold spans or ΔS: where a log has none, they are unknown and not zero.
BY_ANSWERS = ("coverage", "citation_accuracy", "citation_accuracy_all", "anchor_proximity")
BY_SPANS = ("citation_accuracy", "citation_accuracy_all")
BY_DELTA_S = tuple(metric.name for metric in METRICS if metric.name.startswith("delta_s"))
# Without a single question in their set these are unknown too, and not vacuously right.
BY_SECTIONS = (*(f"anchor_hit@{k}" for k in KS), "anchor_proximity")
UNKNOWN_IF_EMPTY = (*BY_DELTA_S, "citation_iou", "anchor_proximity", "lambda_convergence")
