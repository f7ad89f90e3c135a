"""Say what a metric means, what it is computed over, and when it passes."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ragstone.cli.common import as_json
from ragstone.cli.flags import flag
from ragstone.cli.forms import add_forms, as_markdown, form_of, put
from ragstone.cli.known_words import Word, known_word, known_words, plain_spelling
from ragstone.contracts.plain_numbers import whole_number
from ragstone.errors import ConfigError
from ragstone.gates.judge import suggestion
from ragstone.measure.metric import Change, Count, Mean, Metric, Quantile, Ratio, Statistic, as_dict
from ragstone.suites.judged_scores.score_metrics import gated_scores
from ragstone.suites.judged_scores.score_names import is_score
from ragstone.suites.metric_texts import Example, metric_text, worked_out
from ragstone.suites.metric_titles import metrics_of
from ragstone.suites.registry import find_suite, suites

if TYPE_CHECKING:
    from ragstone.engine.duck import Duck

FORMS = ("terminal", "markdown", "json")
# No sentence about a metric is longer.
LONGEST = 2000


def metrics_by_suite() -> dict[str, tuple[Metric, ...]]:
    """Every metric of every suite as its default options have it, then those that others bring."""
    return {suite.name: metrics_of(suite) for suite in suites()}


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "METRIC", "a metric, SUITE.METRIC, or a word that another tool uses", nargs="?")
    add_forms(parser, FORMS)


def run(arguments: argparse.Namespace) -> int:
    form = form_of(arguments, FORMS, "an explanation")
    put(arguments, form, _made(arguments.metric))
    return 0


def _made(metric: str | None) -> Callable[[str], str]:
    """What is said of a metric, or of all of them, in any form."""
    if metric is None:
        return _list_of_all
    word = known_word(metric)
    try:
        found = find(metric)
    except ConfigError:
        if word is None:
            raise
        found = []

    def made(form: str) -> str:
        if form == "json":
            return as_json(as_data(found, word)) + "\n"
        texts = [explanation(suite, metric) for suite, metric in found]
        every = [*texts, *([elsewhere(word)] if word else [])]
        return "\n\n".join(map(as_markdown, every) if form == "markdown" else every) + "\n"

    return made


def _list_of_all(form: str) -> str:
    if form == "json":
        every = [declared(name, each) for name, some in metrics_by_suite().items() for each in some]
        return as_json({"metrics": every}) + "\n"
    if form == "markdown":
        from ragstone.report.formats.markdown_text import prose

        rows = [
            f"| `{suite}.{metric.name}` | {prose(metric.says, LONGEST)} |"
            for suite, metrics in metrics_by_suite().items()
            for metric in metrics
        ]
        return "\n".join(["| metric | meaning |", "|---|---|", *rows]) + "\n"
    return listing() + "\n"


def as_data(found: list[tuple[str, Metric]], word: Word | None) -> dict[str, object]:
    """The first metric of a name with the others that share it, and the word of others."""
    said = None if word is None else dataclasses.asdict(word)
    if not found:
        return {"elsewhere": said}
    others = [f"{owner}.{metric.name}" for owner, metric in found[1:]]
    text = dict(_text_rows(*found[0]))
    return {**declared(*found[0]), **text, "also": others, "elsewhere": said}


def declared(suite: str, metric: Metric) -> dict[str, object]:
    return {"suite": suite, "kind": type(metric).__name__, **as_dict(metric)}


def find(name: str) -> list[tuple[str, Metric]]:
    """The metrics behind `precision`, `under`, `recall@5`, `Hit Rate@k` or `context.mrr`; several
    suites may have one of that name."""
    every = metrics_by_suite()
    suite, dot, rest = name.partition(".")
    known = dot and suite in every
    chosen = {suite: every[suite]} if known else every
    wanted = rest if known else name
    stem, _, number = wanted.partition("@")
    names = [wanted] if whole_number(number) is None else [wanted, f"{stem}@k"]
    owned = [(owner, metric) for owner, metrics in chosen.items() for metric in metrics]
    for spelled in (str, plain_spelling):
        for each in names:
            found = [
                (owner, metric)
                for owner, metric in owned
                if spelled(each) in map(spelled, (metric.name, *metric.aliases))
            ]
            if found:
                return found
    if is_score(wanted):
        # Only traces know which there are; what one is can be said of any.
        asked: Any = find_suite("answers").options(gates=((wanted, 0.0),))
        scored = [owner for owner in chosen if find_suite(owner).found_metrics]
        return [(owner, metric) for owner in scored for metric in gated_scores(asked)]
    own = [word for _, metric in owned for word in (metric.name, *metric.aliases)]
    words = [] if known else [each.word for each in known_words()]
    hint = suggestion(wanted, [*own, *words], f"known: {', '.join(own)}")
    raise ConfigError(f"there is no metric {wanted!r}{hint}")


def listing() -> str:
    every = metrics_by_suite()
    width = max(len(metric.name) for metrics in every.values() for metric in metrics)
    lines = []
    for suite, metrics in every.items():
        lines.append(f"{suite}:")
        lines += [f"  {metric.name:<{width}}  {metric.says}" for metric in metrics]
    return "\n".join(lines)


def explanation(suite: str, metric: Metric) -> str:
    """What a metric measures, why, an example, when it misleads, its gate; then its definition."""
    rows = [("metric", f"{suite}.{metric.name}")]
    rows += [("plain name", metric.title)] if metric.title else []
    rows += [("measures", metric.says), *_text_rows(suite, metric)]
    gate = f"{metric.gate or 'none by default'}; {metric.better} is better"
    rows += [("gate", gate), *definition(metric)]
    return "\n".join(f"{name + ':':<13} {text}" for name, text in rows)


def _text_rows(suite: str, metric: Metric) -> list[tuple[str, str]]:
    """What is written of a metric beyond its declaration."""
    text = metric_text(suite, metric.name)
    if text is None:
        return []
    from ragstone.engine.duck import Duck

    with Duck(1) as duck:
        gives = example_value(duck, metric, text.example, metrics_by_suite()[suite])
    return [
        ("why", text.why),
        ("example", f"{'; '.join(text.example.happened)}: {gives}"),
        ("misleads", text.misleads),
    ]


def example_value(duck: Duck, metric: Metric, example: Example, of: Sequence[Metric]) -> str:
    """What the engine makes of an example: `0.3333 (1/3)`; `of` are the suite's metrics."""
    from ragstone.report.words import share, value

    found = worked_out(duck, metric, example, of)
    return f"{value(found)} ({share(found)})"


def definition(metric: Metric) -> list[tuple[str, str]]:
    """How a metric is computed: what the engine runs, in its own words."""
    rows = [("kind", kind_of(metric)), ("over", f"{metric.over} that are {metric.of}")]
    match metric:
        case Ratio() | Count():
            rows.append(("counts", f"{metric.over} that are {metric.hit}"))
        case Mean() | Quantile():
            rows.append(("of", metric.value))
        case Statistic():
            rows.append(("how", metric.how))
        case Change():
            rows.append(("how", CHANGES[metric.how].format(metric.metric)))
    if metric.tested != "true":
        rows.append(("tested on", f"{metric.over} that are {metric.tested}"))
    if isinstance(metric, Quantile | Statistic | Change):
        rows.append(("when empty", "unmeasurable"))
    else:
        rows.append(("when empty", f"{metric.empty:g}, not tested"))
        rows.append(("failing", f"{metric.over} that are {metric.offenders}"))
    if metric.aliases:
        rows.append(("also called", ", ".join(metric.aliases)))
    return rows


def kind_of(metric: Metric) -> str:
    """What kind of number it is, and which interval it has."""
    if isinstance(metric, Ratio) and metric.cluster is not None:
        return f"{KINDS[Ratio]}; rows of one {metric.cluster} are one cluster"
    if not isinstance(metric, Mean):
        return KINDS[type(metric)]
    if metric.bounds is None:
        return "a mean, with a Student t interval from 5 questions on"
    of = "shares" if metric.share else "numbers from {:g} to {:g}".format(*metric.bounds)
    return f"a mean of {of}, with the interval of a ratio with repeats"


def elsewhere(word: Word) -> str:
    """What a word means to others, and what we have that comes nearest."""
    rows = [
        ("elsewhere", f"{word.word} ({word.said_by})"),
        ("nearest", ", ".join(word.nearest)),
        ("difference", word.difference),
    ]
    return "\n".join(f"{name + ':':<13} {text}" for name, text in rows)


KINDS: dict[type[Metric], str] = {
    Ratio: "a ratio, with the exact interval (Clopper-Pearson)",
    Count: "a count; sampling cannot prove it",
    Quantile: "a quantile by linear interpolation, with an order-statistics interval",
    Statistic: "a number over the whole set, with an interval of its own",
    Change: "a comparison with the baseline",
}

CHANGES = {
    "difference": "{0} minus the baseline's {0}",
    "drop": "the baseline's {0} minus {0}",
    "ratio": "{0} / the baseline's {0}",
}
