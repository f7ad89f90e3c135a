#!/usr/bin/env python3
"""What does every number mean? Writes docs/metrics.md from the declarations that compute them.

    metrics_page.py            (writes docs/metrics.md)
    metrics_page.py --check    (exits 1 if the page is not what the declarations say)

A new suite's metrics, checks and readings are here as soon as it is in the registry of suites.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from ragstone.cli.explain import CHANGES, example_value, kind_of, metrics_by_suite
from ragstone.cli.known_words import known_words
from ragstone.engine.duck import Duck
from ragstone.measure.metric import Change, Count, Mean, Metric, Quantile, Ratio, Statistic
from ragstone.suites.answers.shows import FUNNEL
from ragstone.suites.metric_texts import Example, metric_text
from ragstone.suites.registry import suites
from ragstone.suites.signs import Rule

PAGE = Path(__file__).resolve().parent.parent / "docs" / "metrics.md"
# The columns of the verdict row that the declarations speak of.
CHECKS = {
    "answerable": "the gold item says so",
    "missing": "there is no trace for the question, or no claim in it, or only white space",
    "refused": "not missing, and the trace says so itself (`refused`); where it says nothing: the "
    "claim, stripped and folded, equals a refusal token (`not in context`), a `re:` pattern is "
    "found in it, or a language pack fires in its first 200 characters and it is not hedged",
    "shipped": "neither missing nor refused; with `--missing answered`, also when missing",
    "contained": "an entry of `gold_claim_substr` that is "
    "[long enough](contracts.md#phrases) occurs in the claim, case ignored, or a typed answer of "
    "`gold_answer` matches it; where gold has neither: every vital nugget is found; also when "
    "there is none",
    "forbidden": "the claim holds something that `must_not` lists",
    "scoped": "every citation is among `retrieved_ids`",
    "cited": "scoped, and some citation is a gold citation; when gold lists none: scoped, and "
    "nothing was cited; when gold does not say (absent or null): scoped",
    "constrained": "the gold item has constraints",
    "intact": "not constrained; or `constraints_echo` is the same set of stripped strings as "
    "`constraints`, and the claim contradicts none of them",
    "recalled": "every gold citation, and one of each group of `gold_citations_any`, is in the "
    "first k of `retrieved_ids`; also when there is none",
    "reachable": "some gold citation is in the first k of `retrieved_ids`; also when there is none",
    "hedged": "shipped and answerable, and a language pack fires though what gold expects is "
    "found, or what gold expects is found as one of several alternatives only: `Paris or London`",
    "near_refusal": "shipped, and the claim holds the token without being equal to it",
}


def page() -> str:
    """The whole page."""
    parts = {
        "<!-- overview -->": overview(metrics_by_suite().items()),
        "<!-- checks -->": table(
            ("check", "true when"), [(code(name), says) for name, says in CHECKS.items()]
        ),
        "<!-- metrics -->": "\n\n".join(sections(*suite) for suite in metrics_by_suite().items()),
        "<!-- words -->": table(
            ("word", "said by", "nearest", "the difference"),
            [
                (word.word, word.said_by, ", ".join(map(linked, word.nearest)), word.difference)
                for word in known_words()
            ],
        ),
        "<!-- funnel -->": table(
            ("step", "what stays"), [(code(name), says) for name, _, says in FUNNEL]
        ),
        "<!-- readings -->": "\n\n".join(
            readings(suite.name, suite.readings) for suite in suites() if suite.readings
        ),
    }
    text = TEMPLATE
    for place, content in parts.items():
        text = text.replace(place, content)
    return text


def overview(found: Iterable[tuple[str, Sequence[Metric]]]) -> str:
    """Every metric in a line."""
    rows = [
        (
            linked(f"{suite}.{metric.name}"),
            metric.title,
            metric.says,
            gate_of(metric),
        )
        for suite, metrics in found
        for metric in metrics
    ]
    return table(("metric", "plain name", "meaning", "default gate"), rows)


def sections(suite: str, metrics: Sequence[Metric]) -> str:
    """A suite's metrics, each with all that its declaration says."""
    made = (section(suite, each, metrics) for each in metrics)
    return "\n\n".join([f"## The suite {suite}", *made])


def section(suite: str, metric: Metric, of: Sequence[Metric] = ()) -> str:
    """One metric: what it measures, why, an example, when it misleads, its gate, its definition."""
    gate = f"{code(metric.gate)} by default" if metric.gate else "None by default"
    said = {"What it measures": f"{metric.title[:1].upper()}{metric.title[1:]}. {metric.says}"}
    text = metric_text(suite, metric.name)
    if text is not None:
        said["Why it matters"] = text.why
        said["Example"] = example(metric, text.example, of)
        said["When it misleads"] = text.misleads
    said["Gate"] = f"{gate}; {metric.better} is better."
    parts = [f"**{head}.** {words}" for head, words in said.items()]
    return "\n\n".join([f"### {suite} {code(metric.name)}", *parts, folded(definition(metric))])


def example(metric: Metric, shown: Example, of: Sequence[Metric]) -> str:
    """The rows of an example as a table, and what the engine makes of them."""
    rows = [
        [happened, *map(cell, row)]
        for happened, row in zip(shown.happened, shown.rows, strict=True)
    ]
    if shown.before:
        rows = [[f"now: {happened}", *rest] for happened, *rest in rows]
        rows += [
            [f"baseline: {happened}", *map(cell, row)]
            for happened, row in zip(shown.happened, shown.before, strict=True)
        ]
    columns = [code(column) for column in shown.columns]
    gives = example_value(engine(), metric, shown, of)
    return f"These rows give {gives}:\n\n{table(('what happened', *columns), rows)}"


def cell(value: object) -> str:
    """A cell of an example: true and false as words, nothing as a dash."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else f"{value}"


@cache
def engine() -> Duck:
    """The engine that computes all examples."""
    return Duck(1)


def folded(definition: str) -> str:
    return f'<details markdown="1"><summary>Definition</summary>\n\n{definition}\n\n</details>'


def definition(metric: Metric) -> str:
    """The declaration as the engine runs it."""
    rows = [("kind", kind_of(metric)), ("over", f"rows that are {code(metric.of)}")]
    match metric:
        case Ratio() | Count():
            rows.append(("counts", f"rows that are {code(metric.hit)}"))
        case Mean() | Quantile():
            rows.append(("of", code(metric.value)))
        case Statistic():
            rows.append(("how", metric.how))
        case Change():
            rows.append(("how", CHANGES[metric.how].format(metric.metric)))
    if metric.tested != "true":
        rows.append(("tested on", f"rows that are {code(metric.tested)}"))
    if isinstance(metric, Quantile | Statistic | Change):
        rows.append(("over an empty set", "unmeasurable"))
    else:
        rows.append(("over an empty set", f"{metric.empty:g}, not tested"))
        rows.append(("failing", f"rows that are {code(metric.offenders)}"))
    if metric.aliases:
        rows.append(("also called", ", ".join(map(code, metric.aliases))))
    return table(("", ""), rows)


def readings(suite: str, rules: Sequence[Rule]) -> str:
    rows = [
        (
            f"{rule.title} ({rule.pattern})" if rule.title else rule.pattern,
            rule.reading,
            code(rule.check),
            code(rule.among) if rule.among else "these",
        )
        for rule in rules
    ]
    heads = ("pattern", "reading", "carried by rows that are", "most of")
    return f"{suite}:\n\n{table(heads, rows)}"


def gate_of(metric: Metric) -> str:
    return code(metric.gate) if metric.gate else "none"


def linked(name: str) -> str:
    """A metric's full name, with a link to its section."""
    return f"[{code(name)}](#{anchor(name)})"


def code(text: str) -> str:
    return f"`{text}`"


def anchor(name: str) -> str:
    """The link to a metric's heading: `answers.recall@k` becomes `answers-recallk`."""
    kept = "".join(c for c in name.lower() if c.isalnum() or c in "-_.")
    return kept.replace(".", "-", 1).replace(".", "")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; a bar in a cell is text."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


TEMPLATE = """\
# What each number means

<!-- Written by scripts/metrics_page.py: change the declarations, or the text in that script. -->

A number is computed from **verdict rows**: one row for each gold question, with every check decided
once. A metric is a declaration over these rows. `ragstone explain METRIC` prints what is below.
The engine computes every example on this page from the rows that are shown. The definition, folded
under each metric, is the SQL that is run.

```console compare
$ ragstone explain answers.under
metric:       answers.under_refusal
plain name:   answered though it has no answer
measures:     Of the questions that have no answer, how many were answered anyway.
why:          These are the answers that somebody made up: no text holds them.
...
gate:         <= 0.05; lower is better
kind:         a ratio, with the exact interval (Clopper-Pearson)
over:         rows that are not answerable
counts:       rows that are shipped
when empty:   0, not tested
failing:      rows that are (not answerable) and (shipped)
also called:  under, false_answer_rate
```

<!-- overview -->

Further gates: `scu_violations = 0` with `--scu-enforced`; `missing` has none with
`--missing answered`.

## The checks of a verdict row

<!-- checks -->

`gold_count` is the number of distinct gold citations, `gold_found` of those in the first k, and
`gold_cited` of those that are cited; a group of `gold_citations_any` counts as one. `cited_ids` is
the number of distinct ids that are cited, `cited_gold` of those that are evidence. `sentences` is
the number of entries of `claims` that say something, `bare_sentences` of those that cite nothing.
`nugget_count` is the number of nuggets and `vital_count` of the vital ones, `nuggets_found` and
`vital_found` of those that the claim holds. Under `--keep all`, `all_rows` is the number of a
question's rows in the table `questions`, and `right_rows` of those that are right.

*Folded* is `casefold(NFC(s))`, and *stripped* is without Unicode's white space at both ends, in SQL
exactly as in Python. Both are for claims and phrases; ids are compared as they are. The 5
characters are code points of the entry as written, and one of a script without spaces counts as
[three](contracts.md#phrases). k is 5 unless `--k` says otherwise.

With `--scu-enforced` (`scu = true` in the file), an answer is right only if it is also `intact`:
`precision` then counts rows that are `answerable and contained and cited and not forbidden
and intact`.

<!-- metrics -->

## Intervals

Each number comes with a two-sided 95 % interval; `--confidence LEVEL` changes the level.

| kind | interval |
|---|---|
| ratio | the exact one (Clopper-Pearson), from the numerator and the denominator |
| ratio with repeats | the wider, at each end, of the clustered one and the exact one of questions |
| mean of numbers between two bounds | that of a ratio with repeats; exact if all are at a bound |
| mean of numbers without bounds | Student t from exact sums, from 5 questions on |
| quantile | two of the values themselves, by order statistics; an end out of reach is open |
| kappa, alpha | from the intervals of disagreement and of chance; none under 30 items |
| comparison with a baseline | question by question, or from the intervals of the two numbers |
| count | none: sampling cannot prove a count |

A quantile near an end needs many values: p95 needs 72 and p99 368 to have both ends. An open end
is null in JSON and "needs 368 samples" in words, and it proves nothing.

A vacuous number has no interval. With `--keep all`, the rows of one question rise and fall
together, so intervals take each question as one cluster: asking the same question ten times does
not make it ten times as sure. [How often intervals hold the truth](intervals.md) is measured.

## Gates

A gate is a metric with a threshold. The defaults are in the table above; `ragstone.toml` changes
them, and `--gates` changes both.

```console
$ ragstone demo --quiet > demo.txt
$ export GOLD=ragstone-demo/gold.jsonl TRACE=ragstone-demo/good.jsonl
$ ragstone score --gold $GOLD --trace $TRACE --gates precision=0.85,chr=0.8 under=0.04
$ ragstone score --gold $GOLD --trace $TRACE --gates 'recall@5>=0.9' 'unscoped=0' over=off
$ ragstone score --gold $GOLD --trace $TRACE --gates precision=0.99
# exit 1
```

- A bare number takes the metric's own direction; `>=`, `<=`, `>`, `<` and `=` say another.
  Values are compared before anything is rounded, with 1e-9 of room for binary fractions.
- `off` (in the file also `false`) drops a gate. `recall@5` is `recall@k` where k is 5, and an error
  where it is not.
- `tested` in the JSON is the number of rows on which the metric could have failed. Over an **empty
  set**, or where gold gives it **nothing to test**, that is 0 and its gate is
  [NOT TESTED](reports.md#nothing-to-test-is-not-a-pass): it neither passes nor fails.
- The **decision** is FAIL if a gate fails (exit 1), else UNMEASURABLE (exit 3) if one could not be
  measured, is not proven where `--confidence` asks for it, or was set by you and not tested, or if
  no tested gate is on the suite's [main question](reports.md#nothing-to-test-is-not-a-pass). Else
  it is PASS (exit 0). Without any gate there is none: NO GATES, exit 0.
- A gate for a part of the gold set stands in the file; its name is `precision[tags=billing]`:

```toml
[[answers.slices]]
where = { tags = "billing" }
gates = { precision = 0.90 }
```

### Proven or not

A small gold set can pass by luck, so every gate says whether its number is **proven**: whether the
whole interval is on the right side. The verdict counts the gates that are.

| a gate says | its interval | `proven` |
|---|---|---|
| proven at 95 % | is wholly on the right side | true |
| not proven at 95 % | has the threshold inside, is open on that side, or has no width | false |
| proven to fail at 95 % | is wholly on the wrong side | false |
| no sample can prove it | does not matter | null |

No sample can prove a count, a gate with `=`, or a limit of 0 or 1 on a share: that something never
happens. `proven` is null there, and where nothing was tested.

On the point, a gate that is not proven passes all the same. `--confidence 0.95` asks for the proof:
a gate whose value passes but is not proven is then UNMEASURABLE (exit 3), and so is one with too
little data for an interval. A value that fails is FAIL, proven or not. What no sample can prove is
judged on the point.

What is not proven says how many more questions would settle it, as a range: if they go as what was
seen, and if they go as the end of the interval nearest to the threshold. Where that end is all but
the threshold itself, the range is open ("at least 40 more"). Neither is a promise. Repeats of
a question are no new questions. `needed` in the JSON is the pair, null for an open end.

The demonstration passes on the point, and 78 questions do not prove it:

```console compare
$ ragstone score --gold $GOLD --trace $TRACE --confidence 0.95 -v
# exit 3
UNDECIDED, 3 of 5 gates proven at 95 %
UNMEASURABLE: 1 of 5 gates is not proven: answered though it has no answer (under_refusal).
...
  no answer in the trace (missing)          PASS          0.0000        = 0   0/78  0.0000 to 0.0462

  right and rightly cited           proven at 95 %
  cites the right evidence          proven at 95 %
  answered though it has no answer  not proven at 95 %: 348 to 4,200 more questions would settle it
  refused though it has an answer   proven at 95 %
  no answer in the trace            no sample can prove it, so it is judged on the point
...
```

Gates at exactly 0 or 1, gates with `=`, and counts stay on the point: no sample shows that
something never happens. The number of questions supposes that the rate stays as it is.

## Words from elsewhere

The same word can mean another number in another tool. A metric has another name of its own only
where the definition is the same (`also called` above). For the other words `ragstone explain WORD`
says what comes nearest, and the difference; case, spaces, `-` and `_` do not matter.

<!-- words -->

## The funnel

Over the answerable questions; each step keeps those that pass its check and all checks before it,
and the report names the first that were lost there.

<!-- funnel -->

## Questions that failed

A row counts against a metric if it is in its set and not a hit, or, where lower is better, a hit;
for a mean, if it falls short of the best value. The report lists first what counts against most
failed gates, then by qid: 10 rows, all of them with `--all`. The JSON calls them `offenders`.

## Readings

Numbers that are off together point to a layer of the pipeline. Low and high are the words of the
gates: a metric is off when it misses its gate, judged on the point. A metric that has no default
gate is read by a fixed line: recall@k is low below 0.80, and chr is *far* below chr_bound@k by more
than 0.10. A metric whose gate was turned off, or that nothing was tested for, is not read. The
reading that explains most rows comes first; only `--keep all` can see a flip.

A reading names a cause only where rows carry it: at least 3 of them, and more than half
of the rows that it would explain (*most of*). One or two rows name no cause. A log that holds no
citation is no sign that citations are wrong, and neither is one without retrieved ids a sign that
retrieval is. A trace that is missing says nothing of what was retrieved for it.

<!-- readings -->
"""


def main(arguments: Sequence[str]) -> int:
    if "--check" not in arguments:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        return 0
    print(f"{PAGE} is not what the declarations say; run scripts/metrics_page.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
