"""A report that was written can be read again."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest
from report.report_builder import bare, compared, nasty, passing, report, unmeasurable

from ragstone.errors import InputError
from ragstone.gates.gate import Status
from ragstone.report.build import combine
from ragstone.report.formats import FORMATS, render
from ragstone.report.model import Report

REPORTS: dict[str, Callable[[], Report]] = {
    "report": report,
    "passing": passing,
    "unmeasurable": unmeasurable,
    "bare": bare,
    "compared": compared,
    "nasty": nasty,
    "combined": lambda: combine([report(), replace(passing(), suite="retrieval")]),
    "not frozen": lambda: replace(passing(), unfrozen=True),
    "own words": lambda: report(verdicts={Status.FAIL: "NOT ELIGIBLE", None: "CALIBRATED"}),
}


@cache
def report_of(name: str) -> Report:
    """A report that nobody changes; one with long texts takes a second."""
    return REPORTS[name]()


@cache
def read_from_json(name: str) -> Report:
    return Report.from_json(report_of(name).to_json())


@cache
def read_from_state(name: str) -> Report:
    return Report.from_state(report_of(name).to_state())


@pytest.mark.parametrize("name", REPORTS)
def test_json_gives_back_what_it_was_written_from(name: str) -> None:
    written, read = report_of(name), read_from_json(name)
    assert read.to_json() == written.to_json()
    assert (read.decision, read.digest, read.gates) == (
        written.decision,
        written.digest,
        written.gates,
    )
    assert list(read.figures) == list(written.figures)
    assert read.settings == json.loads(json.dumps(written.settings))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", REPORTS)
def test_what_was_read_from_json_renders_in_every_format(name: str, format: str) -> None:
    assert render(read_from_json(name), format).endswith("\n")


def test_a_metric_read_from_json_is_shown_as_before() -> None:
    read = Report.from_json(report().to_json())
    for gate in ("violations", "latency"):
        first, second = (
            [line for line in str(each).splitlines() if line.startswith(f"  {gate}")]
            for each in (report(), read)
        )
        assert first[:1] == second[:1]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", REPORTS)
def test_a_state_renders_to_the_same_bytes(name: str, format: str) -> None:
    assert render(read_from_state(name), format) == render(report_of(name), format)


@pytest.mark.parametrize("name", REPORTS)
def test_a_state_is_the_state_of_what_was_read_from_it(name: str) -> None:
    assert read_from_state(name).to_state() == report_of(name).to_state()


def test_a_report_from_before_the_format_had_a_number_is_read() -> None:
    old = report().to_dict()
    del old["format"]
    for metric in old["metrics"].values():  # type: ignore[union-attr]
        del metric["kind"], metric["unit"]  # type: ignore[union-attr,arg-type,call-overload]
    read = Report.from_json(json.dumps(old))
    assert (read.decision, read["precision"].value) == (Status.FAIL, 63 / 87)
    assert next(iter(read.to_dict())) == "format"


def test_one_number_of_questions_is_a_range_without_width() -> None:
    old = report().to_dict()
    old["gates"]["precision"]["needed"] = 140  # type: ignore[index,call-overload]
    assert Report.from_json(json.dumps(old)).gates[0].needed == (140, 140)


def test_keys_of_a_later_version_are_passed_over() -> None:
    later = report().to_dict()
    for name in ("gates", "metrics"):
        later[name]["precision"]["new"] = 1  # type: ignore[index,call-overload]
    assert Report.from_json(json.dumps(later)).to_json() == report().to_json()


def test_the_object_is_what_the_text_says() -> None:
    assert report().to_dict() == json.loads(report().to_json())
    assert next(iter(report().to_dict())) == "format"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it is not JSON"),
        ("[1,]", "it is not JSON"),
        ("[1]", "it is no object"),
        ("{}", "it has no 'settings'"),
        ('{"format": 2}', "this report has format 2, and this version reads 1"),
        ('{"suite": "answers", "settings": {}}', "it has no 'version'"),
        (report().to_state(), "read it with from_state"),
        (report().to_json().replace('"status": "FAIL"', '"status": "SO SO"'), "another form"),
    ],
)
def test_what_is_no_report_is_told_in_one_sentence(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Report.from_json(text)


def test_a_plain_report_is_no_state() -> None:
    with pytest.raises(InputError, match="it has no 'state'"):
        Report.from_state(report().to_json())


@pytest.mark.parametrize("other", ["x", [1], {"a": 1}], ids=str)
@pytest.mark.parametrize("kept", ["json", "state"])
def test_a_value_of_another_type_is_refused_when_it_is_read_or_shows(
    kept: str, other: object
) -> None:
    written = report().to_json() if kept == "json" else report().to_state()
    read = Report.from_json if kept == "json" else Report.from_state
    # Each in another format than the one before: all of them take a minute.
    for path, name in zip(paths_of(json.loads(written)), itertools.cycle(FORMATS), strict=False):
        whole = json.loads(written)
        inside = whole
        for key in path[:-1]:
            inside = inside[key]
        inside[path[-1]] = other
        try:
            found = read(json.dumps(whole))
        except InputError:
            continue
        found.render(name)


def paths_of(value: object, above: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to every value inside a JSON value."""
    if isinstance(value, dict | list):
        for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*above, key)
            yield from paths_of(inside, (*above, key))
