"""From a comparison to its report, alone or within the report of the suite that was run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from ragstone._version import __version__
from ragstone.comparison.baseline import Against, compared_with
from ragstone.comparison.changed_labels import REASON
from ragstone.comparison.compare_rows import Compared
from ragstone.comparison.metric_difference import MetricDifference
from ragstone.comparison.protected import GATE as PROTECTED
from ragstone.comparison.shows import comparison_blocks, comparison_lists, comparison_notice
from ragstone.comparison.verdict import Verdict, exit_code
from ragstone.comparison.what_broke import BROKE
from ragstone.gates.gate import NOT_FROZEN, Judged
from ragstone.report.document.blocks import Block, Json, Offenders
from ragstone.report.document.figures import numbers_json, quantity, unit_of
from ragstone.report.formats.json_text import plain
from ragstone.report.model import Report
from ragstone.suites.declaration import Outcome
from ragstone.suites.digest import digest_of
from ragstone.suites.metric_titles import CHANGE
from ragstone.suites.options import Texts
from ragstone.suites.registry import find_suite
from ragstone.suites.verdict_files import KeptRows
from ragstone.suites.waived_questions import as_json, waived_blocks, waived_warnings

SUITE = "compare"


def compared_report(found: Compared, texts: Texts = "all") -> Report:
    """The report of `ragstone compare`."""
    verdict = found.verdict
    whole = Report(
        suite=SUITE,
        version=__version__,
        figures={},
        metrics=dict(found.changes),
        gates=_gates(found),
        digest=compared_digest(found, texts),
        settings=_settings(found, texts),
        data={**_verdict_data(verdict), **compared_data(found), **_waived(found)},
        verdicts={} if verdict is None else {None: verdict.word},
        verdict_says="" if verdict is None else verdict.says,
        exit_without_gates=0 if verdict is None else exit_code(verdict.word, found.how.confidence),
        blocks=(*waived_blocks(found.waived), *comparison_blocks(found)),
        blocks_first=True,
        marker=f"{SUITE}: {found.b.suite}",
        notice=comparison_notice(found),
        warnings=(*_warnings(found), *waived_warnings(found.waived)),
        offending=_offending(found),
        unfrozen=found.unfrozen,
    )
    return _private(whole, texts)


def with_baseline(
    report: Report,
    found: Against,
    outcome: Outcome[Any],
    keep: KeptRows,
    threads: int | None = None,
) -> Report:
    """The report of a suite's run beside its baseline, where it has one."""
    compared = compared_with(found, outcome, keep, threads)
    if compared is None:
        return report
    return _private(with_comparison(report, compared), outcome.options.report_texts)


def _private(report: Report, texts: Texts) -> Report:
    if texts == "all":
        return report
    from ragstone.report.private_texts import with_texts

    return with_texts(report, texts)


def with_comparison(report: Report, found: Compared) -> Report:
    """The report of a suite's run, with what `--baseline` adds to it: gates, numbers, lists."""
    both = [report.digest, compared_digest(found, "all")]
    return replace(
        report,
        gates=(*report.gates, *_gates(found)),
        lacks=_lacks(report, found),
        metrics={**report.metrics, **found.changes},
        data={
            **report.data,
            **_also_gated(report, found),
            "comparison": {**_sides(found), **compared_data(found)},
        },
        # What changed stands before what is: the rest of the report says the same as without it.
        blocks=(*comparison_blocks(found), *(_beside(block, found) for block in report.blocks)),
        questions=tuple(each.with_turned(found.broke.turned) for each in report.questions),
        notice=f"{report.notice} {comparison_notice(found)}".lstrip(),
        offending={**report.offending, **_offending(found)},
        warnings=(*report.warnings, *_warnings(found)),
        unfrozen=report.unfrozen or found.unfrozen,
        digest=digest_of({"suite": report.suite, "compared": both}),
    )


def _gates(found: Compared) -> tuple[Judged, ...]:
    """The gates; those judged without waived questions with the number over all of them, too."""
    return tuple(
        replace(gate, with_waived=quantity(whole.value, unit_of(whole.metric)))
        if gate.waived and (whole := found.changes.get(gate.name))
        else gate
        for gate in found.gates
    )


def _lacks(report: Report, found: Compared) -> dict[str, str]:
    """What the gates of the run and of the comparison leave open together.

    A tested gate on a metric's change says as much of the main question as one on the metric. Of
    several systems only one is compared.
    """
    if any(gate.arm for gate in report.gates):
        return dict(report.lacks)
    gates = [replace(gate, metric=gate.metric.removesuffix(CHANGE)) for gate in found.gates]
    main = find_suite(report.suite).main
    lacks = main.lacks([*report.gates, *gates], {"": report.metrics}, report.settings)
    return {report.suite: lacks} if lacks else {}


def _beside(block: Block, found: Compared) -> Block:
    """The block with what the baseline answered, where it shows offenders."""
    if not isinstance(block, Offenders):
        return block
    rows = tuple(replace(row, before=found.before.get(row.qid)) for row in block.rows)
    return replace(block, rows=rows)


def _waived(found: Compared) -> dict[str, Json]:
    """Every waiver; and where one is in force, the numbers that the gates were judged on."""
    data: dict[str, Json] = {"waived": as_json(found.waived)} if found.waived else {}
    return {**data, "gated_metrics": numbers_json(found.gated)} if found.how.waived else data


def _also_gated(report: Report, found: Compared) -> dict[str, Json]:
    """The numbers that the gates were judged on, with those of the comparison."""
    gated = report.data.get("gated_metrics")
    if not isinstance(gated, dict):
        return {}
    return {"gated_metrics": {**gated, **numbers_json(found.gated)}}


def compared_data(found: Compared) -> dict[str, Json]:
    """What a comparison came to, as plain data."""
    gold = asdict(found.gold)
    return {
        "of": found.b.suite,
        "reason": REASON if found.labels is not None else None,
        "gold": plain(gold),
        **comparison_lists(found),
        "difference": _differences(found.difference),
        "dropped": dict(found.dropped),
        "difference_by": {
            field: {value: _differences(several) for value, several in values.items()}
            for field, values in found.slices.items()
        },
    }


def _verdict_data(verdict: Verdict | None) -> dict[str, Json]:
    """The verdict where no gate decides: its word, and what it rests on."""
    if verdict is None:
        return {"verdict": None}
    return {
        "verdict": verdict.word,
        "verdict_metrics": list(verdict.metrics),
        "verdict_needed": list(verdict.needed),
    }


def _offending(found: Compared) -> dict[str, tuple[str, ...]]:
    """The questions behind the gate on protected ones, where some of them broke."""
    rows, out = found.broke[BROKE].rows, found.how.waived
    broke = tuple(row.qid for row in rows if row.protected and row.qid not in out)
    return {PROTECTED: broke} if broke else {}


def _differences(found: Mapping[str, MetricDifference]) -> dict[str, Json]:
    return {name: _difference(each) for name, each in found.items()}


def _difference(found: MetricDifference) -> dict[str, Json]:
    names = ("a", "b", "value", "low", "high", "p", "p_holm", "says")
    more = ("test", "tested", "margin", "questions", "better")
    return {name: plain(getattr(found, name)) for name in (*names, *more)}


def _sides(found: Compared) -> dict[str, Json]:
    return {
        side: {"name": rows.name, "version": rows.version, "digest": rows.digest}
        for side, rows in (("a", found.a), ("b", found.b))
    }


def _settings(found: Compared, texts: Texts) -> dict[str, Json]:
    """Both sides, and how they were compared."""
    how = found.how
    return {
        **_sides(found),
        "max_regression": {name: str(margin) for name, margin in how.max_regression.items()},
        "by": list(how.by),
        "protect": list(how.protect),
        "margin": how.margin,
        "labels_share": how.labels_share,
        "confidence": how.confidence,
        "strict": how.strict,
        "all": how.limit is None,
        "report_texts": texts,
        **({"unfrozen": True} if found.unfrozen else {}),
        **({"waive": [{**waiver.as_dict()} for waiver in how.waive]} if how.waive else {}),
        **({"as_of": how.as_of} if how.as_of else {}),
    }


def compared_digest(found: Compared, texts: Texts) -> str:
    """Over both sets of rows and how they were compared: the same digest, the same report."""
    arms = [found.a.arm, found.b.arm]
    return digest_of({"suite": SUITE, "arms": arms, "settings": _settings(found, texts)})


def _warnings(found: Compared) -> tuple[str, ...]:
    dropped = [f"{name} is not compared: {why}" for name, why in found.dropped.items()]
    labels = [found.labels.says] if found.labels is not None else []
    if found.unfrozen:
        sides = " and ".join(side.name for side in (found.a, found.b) if side.unfrozen)
        labels.append(f"{NOT_FROZEN}: {sides} was scored with gold that is not as it was frozen")
    return (*labels, *found.warnings, *dropped)
