"""The summary fits on one screen, whatever the report, and its last line is the verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report.report_builder import ESCAPES, NASTY, bare, judged, nasty, ratio, report
from rich.cells import cell_len

from ragstone.errors import RagstoneError
from ragstone.gates.gate import Status
from ragstone.report import words
from ragstone.report.document.blocks import Finding, Offender, Offenders, Reading, Table
from ragstone.report.formats import summary_screen, terminal
from ragstone.report.model import Report

KEPT = Path(__file__).parents[2] / "kept" / "reports"


def kept() -> dict[str, Report]:
    """A report of every suite, as an earlier version wrote it."""
    found = {}
    for path in sorted(KEPT.glob("*.json")):
        try:
            found[path.stem] = Report.from_json(path.read_text(encoding="utf-8"))
        except RagstoneError:
            # What other commands print is no report.
            continue
    return found


REPORTS = {**kept(), "by hand": report(), "nasty": nasty(*NASTY), "bare": bare()}


def drawn(shown: Report, width: int = 80, **more: object) -> list[str]:
    return summary_screen.render(shown, color=False, width=width, **more).splitlines()  # type: ignore[arg-type]


def test_every_suite_is_among_the_reports() -> None:
    suites = {each.suite for each in REPORTS.values()}
    expected = {"answers", "retrieval", "canary", "context", "trec", "latency", "agreement"}
    assert expected | {"stability", "gate"} <= suites


TEXTS = st.one_of(
    st.sampled_from(
        ("", "x", "word " * 40, "x" * 500, "東京" * 60, "👩‍🔬" * 30, ESCAPES, "a\nb\r\tc")
    ),
    st.text(max_size=200),
)
STATUSES = st.sampled_from(Status)


@st.composite
def odd_reports(draw: st.DrawFn) -> Report:
    """A report of some suite with more gates, offenders, warnings and readings, oddly named."""
    base = REPORTS[draw(st.sampled_from(sorted(REPORTS)))]
    names = draw(st.lists(TEXTS, max_size=30))
    added = []
    for number, name in enumerate(names):
        share = ratio("precision", number, 30, (0.0, 1.0))
        proven = draw(st.sampled_from((None, True, False)))
        added.append(judged(share, ">=", 0.5, draw(STATUSES), name=name, proven=proven))
    prefix = f"{next(iter(base.data['suites']))}: " if base.suite == "gate" else ""  # type: ignore[call-overload]
    offenders = [
        Offender(name, ("chr",), ("cited",) * draw(st.integers(0, 3)), question=draw(TEXTS))
        for name in draw(st.lists(TEXTS, max_size=5))
    ]
    findings = tuple(Finding(text, text, ()) for text in draw(st.lists(TEXTS, max_size=2)))
    table = Table("Systems", (draw(TEXTS), "a", "b"), ((draw(TEXTS), draw(TEXTS), 1.0),))
    broke = [{"qid": name} for name in draw(st.lists(TEXTS, max_size=8))]
    compared = {"broke": broke, "broke_total": len(broke), "mended": [], "mended_total": 0}
    return replace(
        base,
        gates=(*base.gates, *added) if draw(st.booleans()) else tuple(added),
        warnings=tuple(draw(st.lists(TEXTS, max_size=40))),
        notice=draw(TEXTS),
        provenance=draw(TEXTS),
        unfrozen=draw(st.booleans()),
        blocks=(
            *base.blocks,
            Offenders(f"{prefix}Offenders", tuple(offenders), len(offenders) + 9),
            Reading("What this points to", findings),
            table,
        ),
        data={**base.data, **({"comparison": compared} if draw(st.booleans()) else {})},
    )


@pytest.mark.parametrize("width", [60, 80, 140])
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(shown=odd_reports(), files=st.lists(TEXTS, max_size=4))
def test_it_fits_on_a_screen_whatever_the_report(
    width: int, shown: Report, files: list[str]
) -> None:
    lines = drawn(shown, width, files=files, more="-v shows more")
    assert len(lines) <= summary_screen.LINES < 24
    assert max(map(cell_len, lines)) <= width
    quiet = drawn(shown, width, files=files, quiet=True)
    suites = "suites" in shown.data
    assert len(quiet) <= (20 if suites else 12)
    assert max(map(cell_len, quiet)) <= width
    for said in (lines, quiet):
        assert any(line.startswith(words.verdict(shown)) for line in said[-2:])
        assert not any(ord(each) < 32 for line in said for each in line)


@pytest.mark.parametrize("name", REPORTS)
def test_the_long_text_ends_with_the_summary(name: str) -> None:
    shown = REPORTS[name]
    long = terminal.render(shown, color=False, width=80)
    short = summary_screen.render(shown, color=False, width=80, head=False)
    assert long.endswith(f"\nSummary\n{short}")


def test_the_digest_is_shortened_and_whole_in_the_long_text() -> None:
    assert f"digest {report().digest[:12]}" in drawn(report())[0]
    assert report().digest not in "\n".join(drawn(report()))
    assert report().digest in terminal.render(report(), color=False, width=80)


def test_a_failing_gate_says_all_its_numbers() -> None:
    lines = drawn(report())
    place = lines.index("  right and rightly cited (precision)")
    said = "0.7241 (63/87), 0.6222 to 0.8073 at 95 %, needs >= 0.8, not proven to fail"
    assert lines[place + 1] == f"    {said}"
    (wide,) = [line for line in drawn(report(), 140) if "(precision)  " in line]
    assert wide.endswith(said)


def test_the_worst_offenders_are_a_line_each() -> None:
    lines = drawn(report())
    place = lines.index("Worst offenders, 3 of 41")
    assert lines[place + 3].startswith("  A0077  answered, but the question has no answer: What ")
    assert lines[place + 4] == ""


def passing() -> Report:
    gates = tuple(gate for gate in report().gates if gate.status is Status.PASS)
    return replace(report(), gates=gates)


def test_a_report_that_passes_shows_its_gates_and_no_offender() -> None:
    lines = drawn(passing())
    assert lines[-1] == "SHIP: all 4 gates pass, 1 proven at 95 %"
    assert lines[2] == "Gates"
    assert not any("A0017" in line for line in lines)


def test_gates_that_do_not_fit_are_counted() -> None:
    share = ratio("precision", 1, 30, (0.0, 0.1))
    many = [judged(share, ">=", 0.5, Status.FAIL, name=f"gate {n}") for n in range(40)]
    lines = drawn(replace(report(), gates=tuple(many)))
    (title,) = [line for line in lines if line.startswith("Failing gates, ")]
    shown = sum("(gate " in line for line in lines)
    assert title == f"Failing gates, {shown} of 40"
    assert shown > 5


def test_what_changed_since_the_baseline_is_a_line() -> None:
    compared = {
        "broke": [{"qid": f"Q{n}"} for n in range(7)],
        "broke_total": 7,
        "mended": [{"qid": "M1"}],
        "mended_total": 1,
    }
    lines = drawn(replace(report(), data={"comparison": compared}))
    assert "changed    7 broke: Q0, Q1, Q2, Q3, Q4 and 2 more; 1 mended: M1" in lines


def test_files_are_named_and_warnings_counted() -> None:
    shown = replace(report(), warnings=tuple(f"warning {n}" for n in range(30)))
    lines = drawn(shown, files=["report.html", "rows.csv"])
    assert "report     report.html, rows.csv" in lines
    assert any(line.startswith("Warnings, ") and line.endswith(" of 30") for line in lines)
    quiet = drawn(shown, files=["report.html"], quiet=True)
    assert "warnings   30 (-v shows them)" in quiet


def test_a_suite_of_a_gate_is_a_line_with_its_worst_number() -> None:
    lines = drawn(REPORTS["gate"])
    suites = lines[2:8]
    assert [line.split()[:2] for line in suites] == [
        ["answers", "PASS"],
        ["retrieval", "PASS"],
        ["context", "PASS"],
        ["latency", "PASS"],
        ["agreement", "FAIL"],
        ["stability", "FAIL"],
    ]
    assert suites[5].endswith("4 of 7 pass; worst: css 0.5000, needs >= 0.7")


def test_colours_do_not_change_the_words() -> None:
    import re

    colored = summary_screen.render(report(), color=True, width=80)
    assert "\x1b[1;7;31mDO NOT SHIP" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == "\n".join([*drawn(report()), ""])
