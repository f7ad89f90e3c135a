from dataclasses import replace
from xml.etree import ElementTree as Tree

import pytest
from report.report_builder import NASTY, bare, nasty, passing, report, unmeasurable

from ragstone.report.formats import junit
from ragstone.report.model import Report


def suite(shown: Report) -> Tree.Element:
    found = Tree.fromstring(junit.render(shown).encode()).find("testsuite")
    assert found is not None
    return found


def test_each_gate_is_a_test_case() -> None:
    names = [case.get("name") for case in suite(report()).iter("testcase")]
    assert names == [gate.name for gate in report().gates]


def test_a_failed_gate_is_a_failure_and_an_unmeasurable_one_an_error() -> None:
    cases = {case.get("name"): case for case in suite(report()).iter("testcase")}
    assert cases["precision"].find("failure") is not None
    assert cases["precision[tags=billing]"].find("error") is not None
    assert cases["chr"].find("failure") is None
    assert cases["chr"].find("error") is None


def test_the_counts_agree_with_the_cases() -> None:
    counts = suite(report())
    assert (counts.get("tests"), counts.get("failures"), counts.get("errors")) == ("7", "2", "1")


def test_a_failure_names_its_offenders() -> None:
    failure = suite(report()).find("testcase/failure")
    assert failure is not None
    assert failure.text is not None
    assert "offenders: A0017, A0042" in failure.text


@pytest.mark.parametrize("text", [*NASTY, "\ufffe\uffff\ud800"])
def test_what_xml_forbids_is_written_out(text: str) -> None:
    assert len(list(suite(nasty(text)).iter("testcase"))) == 1


@pytest.mark.parametrize("shown", [report(), passing(), unmeasurable(), bare()])
def test_it_carries_no_time_and_no_host(shown: Report) -> None:
    text = junit.render(shown)
    assert "timestamp" not in text
    assert "hostname" not in text
    assert "time=" not in text


def test_the_digest_travels_along() -> None:
    facts = {each.get("name"): each.get("value") for each in suite(report()).iter("property")}
    assert facts["digest"] == report().digest
    assert facts["decision"] == "FAIL"


def test_gold_that_is_not_as_it_was_frozen_is_an_error_beside_gates_that_pass() -> None:
    counts = suite(replace(passing(), unfrozen=True))
    cases = {case.get("name"): case for case in counts.iter("testcase")}
    error = cases["gold is frozen"].find("error")
    assert error is not None
    assert error.get("type") == "NOT FROZEN"
    assert (counts.get("errors"), counts.get("tests")) == ("1", str(len(passing().gates) + 1))
