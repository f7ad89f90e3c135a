"""The summary fits on one screen, whatever the report, and its last line is the verdict."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report.every_report import (
    COMMANDS,
    NAMES,
    ONE_BY_ONE,
    OWN_SCREEN,
    of_command,
    printing_modules,
)
from report.report_builder import ESCAPES, NASTY, bare, judged, nasty, ratio, report
from rich.cells import cell_len

from ragstone.errors import RagstoneError
from ragstone.gates.gate import Judged, Status
from ragstone.gates.proof import refuted
from ragstone.report import words
from ragstone.report.document.blocks import Finding, Offender, Offenders, Reading, Table
from ragstone.report.formats import summary_screen, terminal
from ragstone.report.model import Report
from ragstone.suites.registry import entries

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
# Each is made when it is first asked for: most are what a command printed.
EVERY = {**{name: partial(REPORTS.get, name) for name in REPORTS}, **NAMES}


def drawn(shown: Report, width: int = 80, **more: object) -> list[str]:
    return summary_screen.render(shown, color=False, width=width, **more).splitlines()  # type: ignore[arg-type]


def test_every_suite_has_a_report_that_a_command_printed() -> None:
    printed = [of_command(name) for name in ONE_BY_ONE]
    suites = {each.suite for each in printed}
    suites |= {part.suite for each in printed for part in each.parts}
    assert {entry.name for entry in entries()} | {"gate", "compare", "power"} <= suites


def test_every_command_that_prints_a_report_is_among_them() -> None:
    assert printing_modules() == {*COMMANDS, *OWN_SCREEN}


TEXTS = st.one_of(
    st.sampled_from(
        ("", "x", "word " * 40, "x" * 500, "東京" * 60, "👩‍🔬" * 30, ESCAPES, "a\nb\r\tc")
    ),
    st.text(max_size=200),
)
STATUSES = st.sampled_from(Status)
# Over so many rows no other gate was computed.
ODD = 9973


@st.composite
def odd_reports(draw: st.DrawFn) -> Report:
    """A report of some suite with more gates, offenders, warnings and readings, oddly named."""
    base = EVERY[draw(st.sampled_from(sorted(EVERY)))]()
    names = draw(st.lists(TEXTS, max_size=30))
    added = []
    for number, name in enumerate(names):
        share = ratio("precision", number, ODD, (0.0, 1.0))
        proven = draw(st.sampled_from((None, True, False)))
        of = {"numerator": number, "denominator": ODD}
        added.append(judged(share, ">=", 0.5, draw(STATUSES), name=name, proven=proven, **of))
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
        assert_numbers_are_whole(shown, said)


def assert_numbers_are_whole(shown: Report, lines: list[str]) -> None:
    """Of every gate on odd names, whose numbers no other gate has, all or nothing is said."""
    text = " ".join(line.strip() for line in lines)
    odd = [gate for gate in words.not_passed(shown) if gate.denominator == ODD]
    begun = [gate for gate in odd if told(shown, gate)[0] in text]
    assert begun == [gate for gate in odd if is_whole(shown, gate, text)]


TITLES = ("Failing gates", "Gates without a decision")


def assert_gates_are_whole_or_counted(shown: Report, lines: list[str]) -> None:
    """Of every gate that does not pass all is said, or it is among those that are counted."""
    blamed = words.not_passed(shown)
    (title,) = [line for line in lines if line.startswith(TITLES)] or [""]
    text = " ".join(line.strip() for line in lines)
    counts = [int(each.replace(",", "")) for each in re.findall(r"(?<= )[\d,]+(?= |$)", title)]
    assert counts[-1:] in ([], [len(blamed)])
    expected = counts[0] if len(counts) > 1 else 0 if counts else len(blamed)
    whole = [gate for gate in blamed if is_whole(shown, gate, text)]
    # Two gates of a slice may have the same name and numbers, one of which is shown.
    assert len({(gate.name, gate.threshold) for gate in whole}) == expected
    assert all(is_whole(shown, gate, text) for gate in blamed if is_named(shown, gate, lines))
    assert bool(counts) == ("shows all)" in title)


def is_named(shown: Report, gate: Judged, lines: list[str]) -> bool:
    """Whether a gate is among those that are shown; a long name goes on in the next line."""
    if words.gate_metric_title(shown, gate):
        return f"({gate.name})" in "".join(line.strip() for line in lines)
    return any(line.strip() == gate.name or line.startswith(f"  {gate.name}  ") for line in lines)


def told(shown: Report, gate: Judged) -> tuple[str, ...]:
    """All that is to be said of a gate that does not pass, in its order."""
    value = "unmeasurable" if gate.value is None else words.gate_value(shown, gate)
    around = words.gate_interval(shown, gate)
    if not gate.interval or gate.interval == (None, None):
        around = "no interval" + (f" ({around})" if gate.needs_samples else "")
    proof = {Status.FAIL: "no proof needed", Status.UNMEASURABLE: "not proven"}[gate.status]
    if gate.status is Status.FAIL and gate.proven is not None:
        proof = "proven to fail" if refuted(gate) else "not proven to fail"
    elif gate.proven:
        proof = "proven"
    share = words.gate_share(shown, gate) or "n = 0"
    return f"{value} ({share}),", f"{around}", f"needs {words.gate_needs(shown, gate)}", proof


def is_whole(shown: Report, gate: Judged, text: str) -> bool:
    """Whether the plain name stands before the numbers, and every number is there."""
    plain = re.escape(words.gate_metric_title(shown, gate))
    if gate.tests_nothing:
        numbers = rf"not tested, needs {re.escape(words.gate_needs(shown, gate))}, nothing to test"
    else:
        value, around, needs, proof = map(re.escape, told(shown, gate))
        numbers = rf"{value} {around}( at [\d.]+ %)?, {needs}, {proof}"
    # Between the two is the other name, in brackets: of users' names, what fits.
    other = r"(?:(?! at [\d.]+ %).){,400}"
    return re.search(rf"{plain}{other}{numbers}", text) is not None


@pytest.mark.parametrize("width", [60, 80, 100, 140])
# All gates of the nasty report have the same numbers, so none can be told from the others.
@pytest.mark.parametrize("name", [name for name in EVERY if name != "nasty"])
def test_every_report_fits_and_its_gates_are_whole_or_counted(name: str, width: int) -> None:
    shown = EVERY[name]()
    for lines in (drawn(shown, width, more="-v shows more"), drawn(shown, width, quiet=True)):
        most = summary_screen.LINES if lines[0] == drawn(shown, width)[0] else 20
        assert len(lines) <= most
        assert max(map(cell_len, lines)) <= width
        assert_gates_are_whole_or_counted(shown, lines)


@pytest.mark.parametrize("name", EVERY)
def test_the_long_text_ends_with_the_summary(name: str) -> None:
    shown = EVERY[name]()
    long = terminal.render(shown, color=False, width=80)
    short = summary_screen.render(shown, color=False, width=80, head=False, rest="all are above")
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
    alone = replace(report(), gates=report().gates[:1])
    (wide,) = [line for line in drawn(alone, 140) if "(precision)  " in line]
    assert wide.endswith(said)


def test_what_cannot_be_measured_says_why() -> None:
    lines = drawn(report())
    place = lines.index("  right and rightly cited (precision[tags=billing])")
    assert [line.strip() for line in lines[place + 1 : place + 3]] == [
        "unmeasurable (n = 0), no interval, needs >= 0.9, not proven,",
        "no question carries this tag",
    ]


def test_a_narrow_screen_folds_the_numbers_and_cuts_none() -> None:
    lines = drawn(report(), 60)
    place = lines.index("  right and rightly cited (precision)")
    assert lines[place + 1 : place + 3] == [
        "    0.7241 (63/87), 0.6222 to 0.8073 at 95 %, needs >= 0.8,",
        "    not proven to fail",
    ]


def test_what_is_proven_to_fail_comes_first() -> None:
    poor = ratio("under_refusal", 20, 26, (0.5795, 0.8897), lower=True)
    gates = (*report().gates, judged(poor, "<=", 0.05, Status.FAIL, proven=False))
    lines = drawn(replace(report(), gates=gates))
    place = lines.index("Failing gates") if "Failing gates" in lines else 1
    assert "under_refusal" in lines[place + 1]


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
    assert title == f"Failing gates, {shown} of 40 (-v shows all)"
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
    assert any(re.fullmatch(r"Warnings, \d of 30 \(-v shows all\)", line) for line in lines)
    crowded = drawn(replace(shown, gates=shown.gates * 5))
    assert "warnings   30 (-v shows all)" in crowded
    quiet = drawn(shown, files=["report.html"], quiet=True)
    assert "warnings   30 (-v shows all)" in quiet


def test_a_suite_of_a_gate_is_a_line_with_its_worst_number() -> None:
    lines = drawn(REPORTS["gate"])
    suites = lines[1:7]
    assert [line.split()[:2] for line in suites] == [
        ["answers", "PASS"],
        ["retrieval", "PASS"],
        ["context", "PASS"],
        ["latency", "PASS"],
        ["agreement", "FAIL"],
        ["stability", "FAIL"],
    ]
    assert suites[5].endswith("4 of 7 pass; worst: runs that cite the same 0.5000")
    (wide,) = [line for line in drawn(REPORTS["gate"], 140) if line.startswith("stability")]
    assert wide.endswith("worst: runs that cite the same (css) 0.5000, needs >= 0.7")


WITHOUT_GATES = [name for name in NAMES if name in ONE_BY_ONE and name.startswith("compare")]


@pytest.mark.parametrize("width", [50, 60, 80, 100, 140])
@pytest.mark.parametrize("name", WITHOUT_GATES)
def test_a_comparison_says_all_of_a_metric_at_every_width(name: str, width: int) -> None:
    """The plain name, which way it went, both values and their difference: whole, or counted."""
    shown = of_command(name)
    if shown.gates:
        assert name == "compare_gated"
        return
    table = next(b for b in shown.blocks if isinstance(b, Table) and b.columns[0] == "metric")
    lines = drawn(shown, width)
    (title,) = [line for line in lines if line.startswith("Numbers")]
    found = re.fullmatch(r"Numbers(, (\d+) of \d+)?", title)
    assert found is not None
    count = int(found[2]) if found[2] else len(table.rows)
    assert count >= 3
    for metric, against, *numbers in table.rows[:count]:
        start = f"  {words.title_of(shown, table, str(metric))[:20]}"
        place = next(place for place, line in enumerate(lines) if line.startswith(start))
        row = " ".join(line.strip() for line in lines[place : place + 5])
        assert all(clause in row for clause in str(against).split("; "))
        assert all(words.cell(each, 80) in row for each in numbers)
        # Where both names do not fit on a line, the plain one is enough.
        assert f"({metric})" in row or words.title_of(shown, table, str(metric)) in row


def test_two_runs_on_a_screen_of_80_columns() -> None:
    lines = drawn(of_command("compare"))
    place = lines.index("Numbers")
    assert lines[place + 1 : place + 4] == [
        "  metric                            B against A           A       B  difference",
        "  right and rightly cited           no change shown  1.0000  0.6000     -0.4000",
        "    (precision): 20 to 48 more questions would settle it",
    ]


def test_two_runs_on_a_screen_of_60_columns() -> None:
    lines = drawn(of_command("compare"), 60)
    place = lines.index("Numbers")
    assert lines[place + 1 : place + 4] == [
        "  right and rightly cited (precision)",
        "    no change shown, A 1.0000, B 0.6000, difference -0.4000,",
        "    20 to 48 more questions would settle it",
    ]


def test_columns_of_systems_that_do_not_fit_are_counted() -> None:
    lines = drawn(of_command("context_systems"))
    assert "  3 more columns (-v shows all)" in lines
    assert not any("more column" in line for line in drawn(of_command("context_systems"), 200))


def test_colours_do_not_change_the_words() -> None:
    colored = summary_screen.render(report(), color=True, width=80)
    assert "\x1b[1;7;31mDO NOT SHIP" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == "\n".join([*drawn(report()), ""])
