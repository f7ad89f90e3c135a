"""What holds for every format: the same bytes, nothing that acts, no size without bound."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.report_builder import MILLION, bare, compared, nasty, passing, report, unmeasurable

from ragstone.report.build import combine
from ragstone.report.formats import FORMATS, render
from ragstone.report.model import Report
from ragstone.report.text import HIDDEN

GOLDEN = Path(__file__).parent / "golden"
FILES = {"terminal": "txt", "markdown": "md", "junit": "xml", "github": "log", "sarif": "sarif"}
SHOWN = {
    "report": report,
    "passing": passing,
    "unmeasurable": unmeasurable,
    "bare": bare,
    "compared": compared,
    "combined": lambda: combine([report(), passing()]),
}
# Line breaks, the tab of a claim on a page, and the space of no width that breaks a link.
OURS = "\n\t\u200b"


def acting(text: str) -> set[str]:
    return set(HIDDEN.findall(text)) - set(OURS)


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("name", FORMATS)
def test_the_same_report_gives_the_same_bytes(name: str, shown: str) -> None:
    first, second = render(SHOWN[shown](), name), render(SHOWN[shown](), name)
    assert first == second
    first.encode("utf-8")


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_counts_what_is_proven(name: str, shown: str) -> None:
    whole = SHOWN[shown]()
    text = render(whole, name)
    said = f"{whole.proven} of {len(whole.gates)} gates proven at 95 %"
    if name == "json":
        counted = {"gates": whole.proven, "of": len(whole.gates), "level": 0.95}
        assert json.loads(text)["proven"] == (counted if whole.gates else None)
    else:
        said = said.replace("%", "%25") if name == "github" else said
        assert (said in text) is bool(whole.gates)


@pytest.mark.parametrize("name", FORMATS)
def test_no_character_of_the_data_acts_on_a_reader(name: str) -> None:
    assert acting(render(nasty(), name)) == set()


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "json"])
def test_a_million_characters_do_not_blow_up_the_output(name: str) -> None:
    text = render(nasty(MILLION), name)
    assert len(text) < 100_000
    if name != "junit":
        assert "2,000,019 characters in all" in text


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=15, deadline=None)
@given(text=st.text(st.characters(codec=None), max_size=40))
def test_any_text_renders_in_every_format(name: str, text: str) -> None:
    written = render(nasty(text), name)
    written.encode("utf-8")
    assert acting(written) == set()


@pytest.mark.parametrize("name", FILES)
def test_the_sample_report_is_what_it_was(name: str) -> None:
    expected = (GOLDEN / f"report.{FILES[name]}").read_text(encoding="utf-8")
    assert render(report(), name) == expected


@pytest.mark.parametrize("name", ["terminal", "markdown", "html", "junit", "github"])
def test_a_report_without_gates_has_no_verdict(name: str) -> None:
    text = render(bare(), name)
    assert "NO GATES" in text
    assert "SHIP" not in text
    assert "PASS<" not in text


@pytest.mark.parametrize("shown", [report(), passing(), unmeasurable()])
@pytest.mark.parametrize("name", ["terminal", "markdown", "html"])
def test_people_read_the_decision_in_words(name: str, shown: Report) -> None:
    words = {"PASS": "SHIP", "FAIL": "DO NOT SHIP", "UNMEASURABLE": "UNDECIDED"}
    text = render(shown, name)
    assert words[str(shown.decision)] in text
    assert str(shown.decision) in text
    assert shown.digest in text
