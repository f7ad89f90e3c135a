"""Every metric has a plain name, and every check says what is wrong: in words that people use."""

import re
from collections.abc import Sequence

import pytest

from ragstone.cli.explain import metrics_by_suite
from ragstone.measure.metric import Metric
from ragstone.suites.declaration import AnySuite
from ragstone.suites.ranking.ranking_measures import measure
from ragstone.suites.registry import suites

METRICS = metrics_by_suite()
LONGEST = 45
# Words that nobody knows who has not read the documentation.
JARGON = re.compile(
    r"\b(acr|alpha|anchor|bpref|cghc|chr|contain\w*|css|delta|echo\w*|f1|gold|iaa|iou|kappa|lambda|"
    r"map|mrr|ndcg|ned50|nugget\w*|offender\w*|precision|qid\w*|rbo|rcr|recall\w*|rprec|scoped?|"
    r"scu|ship\w*|triplet\w*|unscoped|vacuous|[a-z]+_[a-z_]+)\b|[@λΔ]",
    re.IGNORECASE,
)


@pytest.mark.parametrize("suite", METRICS)
def test_every_metric_has_a_short_plain_name_of_its_own(suite: str) -> None:
    titles = [metric.title for metric in METRICS[suite]]
    assert all(0 < len(title) <= LONGEST for title in titles), titles
    assert len(set(titles)) == len(titles)
    assert [title for title in titles if JARGON.search(title)] == []
    assert [title for title in titles if title.endswith(".") or title != title.strip()] == []


@pytest.mark.parametrize("suite", list(suites()), ids=lambda suite: suite.name)
def test_every_check_says_what_is_wrong_in_words_of_its_own(suite: AnySuite) -> None:
    said = [check.says for check in suite.checks.values()]
    assert all(0 < len(each) <= 70 for each in said), said
    assert len(set(said)) == len(said)
    # The name of a field of the gold set is no jargon: it is what one mends.
    assert [each for each in said if JARGON.search(each.replace("must_not", ""))] == []
    assert [each for each in said if each.endswith(".") or each != each.strip()] == []


@pytest.mark.parametrize("suite", ["retrieval", "canary"])
def test_the_same_metric_has_the_same_plain_name_everywhere(suite: str) -> None:
    known = {metric.name: metric.title for metric in METRICS["retrieval"]}
    assert {**titles(METRICS[suite]), **known} == titles(METRICS[suite])


def titles(metrics: Sequence[Metric]) -> dict[str, str]:
    return {metric.name: metric.title for metric in metrics}


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("ndcg", "right order of the ranking"),
        ("ndcg@5", "right order of the first 5"),
        ("ndcg@5_exp", "right order of the first 5, by grade"),
        ("mrr", "first relevant document near the top"),
        ("mrr@3", "first relevant document near the top, first 3"),
        ("map@100", "relevant documents near the top, first 100"),
        ("R@20", "share of the relevant in the first 20"),
    ],
)
def test_a_ranking_measure_names_its_cut(name: str, title: str) -> None:
    assert measure(name).title == title
