"""`ragstone trend`: how the numbers of recorded runs went over time, in every form."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from command import Command, Folder
from recorded_history import gate, history, keep, metric, precision, recording

from ragstone.ledger.run_files import FolderFiles
from ragstone.report.formats.markdown_text import LONGEST

FORMS = ("terminal", "markdown", "html", "json")
HOSTILE = "<img src=x onerror=alert(1)>|`a`\x1b[31m\u202e@octocat [x](javascript:alert(1))"


class Page(HTMLParser):
    """The links of a page, and its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name == "href" and tag == "a"]


def line_of(text: str, name: str) -> str:
    """What a row says behind the name of its metric, which may stand above it."""
    lines = text.splitlines()
    (place,) = [at for at, line in enumerate(lines) if f"({name})" in line]
    return lines[place].partition(f"({name})")[2] or lines[place + 1]


def test_a_line_says_from_where_to_where_and_whether_the_gate_passes(
    command: Command,
) -> None:
    keep(history(0.7, 0.75, 0.9))
    ran = command("trend")
    assert ran.code == 0
    assert line_of(ran.text, "precision").split() == [
        *("▂▃▇", "0.7000", "0.9000", "+0.2000", ">=", "0.8", "PASS", "0.8500", "to", "0.9500")
    ]
    assert "3 recordings, from 2026-10-01 to 2026-10-03" in ran.text


def test_constant_values_are_a_level_line(command: Command) -> None:
    keep(history(0.9, 0.9, 0.9))
    assert line_of(command("trend").text, "precision").split()[:4] == [
        *("▄▄▄", "0.9000", "0.9000", "0.0000")
    ]


def test_what_chance_explains_does_not_fill_the_height(command: Command) -> None:
    keep(history(0.82, 0.84, 0.81, 0.86))
    line = line_of(command("trend").text, "precision")
    assert not {"▁", "█"} & set(line)
    assert "+0.0400" in line


def test_what_was_not_measured_is_a_gap_and_not_a_zero(command: Command) -> None:
    keep([*history(0.7, None, 0.9), recording(3, metrics={"chr": metric(0.5)}), precision(4, 0.9)])
    assert "▂ ▇ ▇" in line_of(command("trend").text, "precision")
    points = command("trend", "precision", "--json").json["sections"][0]["metrics"]["precision"]
    assert [each["value"] for each in points["points"]] == [0.7, None, 0.9, None, 0.9]
    assert [each["status"] for each in points["points"]] == [
        *("FAIL", "UNMEASURABLE", "PASS", None, "PASS")
    ]


def test_a_metric_that_the_newest_run_lacks_is_absent_and_does_not_pass(command: Command) -> None:
    keep([precision(0, 0.9), recording(1, {"chr": gate(0.9)}, {"chr": metric(0.9)})])
    assert line_of(command("trend", "precision").text, "precision").split()[-1] == "absent"


def test_a_value_that_fails_never_looks_as_if_it_passed(command: Command) -> None:
    keep(history(0.9, 0.79996))
    assert " 0.79996 " in command("trend").text
    assert "0.79996 (" in command("trend", "-f", "markdown").text


def test_score_and_gate_are_points_of_one_line(command: Command) -> None:
    both = {"answers.precision": gate(0.9), "retrieval.coverage": gate(0.6, of="coverage")}
    keep([precision(0, 0.7), recording(1, both, suite="gate"), precision(2, 0.85)])
    sections = command("trend", "--json").json["sections"]
    assert {each["suite"]: [*each["metrics"]] for each in sections} == {
        "answers": ["precision"],
        "retrieval": ["coverage"],
    }
    points = sections[0]["metrics"]["precision"]["points"]
    assert [each["value"] for each in points] == [0.7, 0.9, 0.85]
    assert len(sections[1]["recordings"]) == 1
    asked = command("trend", "answers.precision", "--json").json["sections"]
    assert [each["suite"] for each in asked] == ["answers"]


def test_each_suite_is_a_section_of_its_own(command: Command) -> None:
    other = recording(1, {"coverage": gate(0.6, of="coverage")}, suite="retrieval")
    keep([precision(0, 0.9), other])
    text = command("trend").text
    assert text.index("retrieval: 1 recording") < text.index("answers: 1 recording")
    only = command("trend", "--suite", "answers").text
    assert "retrieval" not in only


def test_the_same_run_at_two_commits_is_two_points(command: Command) -> None:
    one = precision(0, 0.9)
    again = precision(1, 0.9, run=one.run)
    keep([one, again])
    assert len(command("trend", "--json").json["sections"][0]["recordings"]) == 2


def test_a_changed_threshold_is_a_step(command: Command) -> None:
    keep([*history(0.82, 0.83), precision(2, 0.84, ">= 0.9"), precision(3, 0.91, ">= 0.9")])
    page = command("trend", "-f", "html").text
    heights = re.findall(
        r'class="threshold" x1="([\d.]+)%" y1="([\d.]+)"[^/]* x2="([\d.]+)%"', page
    )
    assert [(start, end) for start, _, end in heights] == [
        *(("0.0", "50.0"), ("50.0", "100.0"), ("50.0", "50.0"))
    ]
    assert heights[0][1] != heights[1][1]
    labels = re.findall(r'class="limit-label"[^>]*>([^<]*)<', page)
    assert labels == ["≥ 0.8", "≥ 0.9"]
    assert page.count('class="fails"') == 2
    assert "❌ &#62;= 0.9" in command("trend", "-f", "markdown").text


@pytest.mark.parametrize("word", ["precision", "answers.precision", "prec[tags=a]", "hit_rate@5"])
def test_a_metric_is_named_by_its_gate_its_suite_or_an_alias(command: Command, word: str) -> None:
    names = {"precision": gate(0.9), "prec[tags=a]": gate(0.7)}
    keep([recording(0, names, {"precision": metric(0.9), "recall_any@k": metric(0.6)})])
    found = command("trend", word, "--json").json["sections"][0]["metrics"]
    assert [*found] == [{"hit_rate@5": "recall_any@k"}.get(word, word.removeprefix("answers."))]


def test_an_unknown_metric_gets_a_suggestion(command: Command) -> None:
    keep(history(0.9))
    ran = command("trend", "precison")
    assert (ran.code, ran.text) == (2, "")
    assert ran.err == (
        "ragstone: the only recording has no metric or gate 'precison'; did you mean 'precision'?\n"
    )


def test_the_unit_of_a_slice_is_that_of_its_metric(command: Command) -> None:
    slow = gate(1840.25, "<= 2000", of="p95")
    keep([recording(0, {"p95[rps=5]": slow}, {"p95": metric(1800.0, unit="ms")}, suite="latency")])
    assert "1,840 ms" in command("trend").text


def test_filters_are_those_of_runs(command: Command) -> None:
    keep(
        [precision(0, 0.9), precision(1, 0.7, branch="try"), precision(2, 0.95, labels={"m": "2"})]
    )

    def values(*words: str) -> list[float]:
        found = command("trend", "--json", *words).json["sections"][0]["metrics"]["precision"]
        return [each["value"] for each in found["points"]]

    assert values("--branch", "try") == [0.7]
    assert values("--decision", "PASS") == [0.9, 0.95]
    assert values("--label", "m=2") == [0.95]
    assert values("--limit", "2") == [0.7, 0.95]


def test_what_the_limit_leaves_out_is_counted_in_every_form(command: Command) -> None:
    keep(history(0.7, 0.8, 0.9))
    assert command("trend", "--limit", "1", "--json").json["older"] == 2
    for form in ("terminal", "markdown", "html"):
        said = command("trend", "--limit", "1", "-f", form).text
        assert "2 recordings before these; --limit shows more" in said, form


def test_no_recordings_are_one_sentence(command: Command, folder: Folder) -> None:
    ran = command("trend")
    assert (ran.code, ran.text) == (0, "no recording in .ragstone; --record keeps one\n")
    assert command("trend", "--json").json["sections"] == []
    for words in (["precision"], ["-o", "trend.html"], ["-f", "markdown"]):
        ran = command("trend", *words)
        assert (ran.code, ran.text) == (2, ""), words
        assert ran.err == "ragstone: no recording in .ragstone; --record keeps one\n"
    keep(history(0.9))
    assert command("trend", "--branch", "x").text == "no recording fits\n"
    assert not (folder.work / "trend.html").exists()


def test_a_run_without_gates_shows_all_its_metrics(command: Command) -> None:
    keep([recording(0, metrics={"precision": metric(0.9), "chr": metric(0.8)})])
    ran = command("trend")
    assert [line_of(ran.text, name).split()[1] for name in ("precision", "chr")] == [
        *("0.9000", "0.8000")
    ]
    assert "NO GATES" in ran.text


@pytest.mark.parametrize("form", FORMS)
def test_one_recording_is_enough(command: Command, form: str) -> None:
    keep(history(0.9))
    ran = command("trend", "-f", form)
    assert (ran.code, ran.err) == (0, "")
    assert "precision" in ran.text


@pytest.mark.parametrize(
    "change",
    [
        lambda whole: {**whole, "gates": {"precision": 5}},
        lambda whole: {**whole, "gates": {"precision": {**gate(0.9), "op": "~"}}},
        lambda whole: {**whole, "gates": {"precision": {**gate(0.9), "threshold": "0.8"}}},
        lambda whole: {**whole, "metrics": {"precision": {**metric(0.9), "interval": [1]}}},
        lambda whole: {**whole, "metrics": {"precision": {**metric(0.9), "value": 10**400}}},
        lambda whole: {**whole, "labels": {"model": 2}},
    ],
)
def test_a_damaged_recording_is_a_warning_and_the_rest_is_shown(command, change) -> None:
    keep(history(0.7, 0.9))
    name = sorted(Path(".ragstone/runs").glob("*/seen/*.json"), key=lambda path: path.name)[1]
    name.write_text(json.dumps(change(json.loads(name.read_bytes()))))
    ran = command("trend")
    assert ran.code == 0
    assert f"ragstone: warning: {name} is damaged: " in ran.err
    assert "answers: 1 recording of 2026-10-01" in ran.text
    assert command("runs").code == 0


@pytest.mark.parametrize("form", FORMS)
def test_texts_of_users_are_texts_in_every_form(command: Command, form: str) -> None:
    name = f"precision[tags={HOSTILE}]"
    given = {name: gate(0.7), "precision": gate(0.9)}
    keep([recording(0, given, branch=HOSTILE, labels={HOSTILE: HOSTILE}, commit=HOSTILE)])
    ran = command("trend", "-f", form)
    assert ran.code == 0
    assert "\x1b" not in ran.text
    assert "\u202e" not in ran.text
    if form == "html":
        assert Page(ran.text).tags.isdisjoint({"img", "script"})
        assert "javascript:" not in "".join(Page(ran.text).links)
    if form == "markdown":
        assert "<img" not in ran.text
        assert "@octocat" not in ran.text
        rows = [line for line in ran.text.splitlines() if line.startswith("|")]
        assert {row.count("|") for row in rows} == {9}
    if form == "json":
        assert ran.json["sections"][0]["recordings"][0]["branch"] == HOSTILE


def test_the_terminal_has_at_most_80_columns(command: Command) -> None:
    long = {f"p95_relaxed[config=deep-{n},rps=50]": gate(123456.7, "<= 200000") for n in range(3)}
    label = {"model": "a-rather-long-name-of-a-model-that-nobody-shortens"}
    about = {"branch": "feature/" + "x" * 60, "labels": label, "suite": "latency"}
    keep([recording(n, long, **about) for n in range(40)])
    text = command("trend", "--limit", "40").text
    assert max(map(len, text.splitlines())) <= 80
    for name in long:
        assert "123,456.7" in line_of(text, name)
        assert "PASS" in line_of(text, name)


def test_nothing_is_coloured_where_nobody_looks(command: Command) -> None:
    keep(history(0.7))
    assert "\x1b" not in command("trend").text


def test_the_same_ledger_gives_the_same_bytes(command: Command, folder: Folder) -> None:
    keep(history(0.7, 0.9))
    words = ("-o", "t.html", "-o", "t.md", "-o", "t.txt", "-o", "t.json")
    first = command("trend", *words)
    made = {path.name: path.read_bytes() for path in folder.work.glob("t.*")}
    assert len(made) == 4
    assert first.err == "wrote t.html, t.md, t.txt, t.json\n"
    again = command("trend", *words)
    assert again.out == first.out
    assert {path.name: path.read_bytes() for path in folder.work.glob("t.*")} == made
    assert made["t.txt"] == first.out


@pytest.mark.parametrize("name", ["t.xml", "t.sarif", "t.csv", "t.parquet"])
def test_other_files_are_refused(command: Command, name: str) -> None:
    keep(history(0.7))
    ran = command("trend", "-o", name)
    assert ran.code == 2
    assert ran.err == (f"ragstone: -o {name}: a trend is written as .txt, .md, .html or .json\n")
    assert command("trend", "-f", "junit").code == 2


@pytest.mark.parametrize("ledger", [".ragstone", "a ledger: 50% #1", "deep/er/ledger"])
@pytest.mark.parametrize("file", ["trend.html", "out/of here/trend.html"])
def test_every_point_is_a_link_to_the_report_of_its_run(
    command: Command, folder: Folder, ledger: str, file: str
) -> None:
    kept = history(0.7, 0.9)
    keep(kept, ledger)
    (folder.work / file).parent.mkdir(parents=True, exist_ok=True)
    assert command("trend", "--ledger", ledger, "-o", file).code == 0
    links = Page((folder.work / file).read_text()).links
    # A point and a row of the table for each.
    assert len(links) == 2 * len(kept)
    titles = [((folder.work / file).parent / unquote(each)).read_text() for each in links]
    assert {title[len("<!doctype html><title>") :][:64] for title in titles} == {
        each.run for each in kept
    }


def test_a_ledger_at_an_address_is_linked_without_its_password(
    command: Command, folder: Folder
) -> None:
    from ragstone.ledger.trend_pages import links

    link = links("ftp://ann:secret@host/ledger/", "out/trend.html")
    one = precision(0, 0.9)
    assert link(one) == f"ftp://host/ledger/runs/{one.run}/report.html"
    keep([one], "memory://trend")
    page = command("trend", "--ledger", "memory://trend", "-f", "html").text
    assert set(Page(page).links) == {f"memory://trend/runs/{one.run}/report.html"}


def test_a_long_history_fits_into_a_comment_and_says_what_it_lacks(command: Command) -> None:
    keep(history(*[0.9] * 400, labels={"note": "x" * 100}))
    text = command("trend", "-f", "markdown", "--limit", "400").text
    assert len(text) <= LONGEST
    rows = text.count("| ✅ PASS |")
    left = re.search(r"_(\d+) recordings left out", text)
    assert left is not None
    assert rows + int(left[1]) == 400
    assert rows > 200
    # The newest is there, and first.
    assert text.index("2027-11-04") < text.index("2027-11-03")


def test_a_comment_of_very_many_suites_is_no_longer_either(command: Command) -> None:
    gates = {f"suite{number}.{'x' * 100}{n}": gate(0.9) for number in range(900) for n in range(3)}
    keep([recording(0, gates, suite="gate")])
    text = command("trend", "-f", "markdown").text
    assert len(text) <= LONGEST
    left = re.search(r"_(\d+) more suites do not fit_", text)
    assert left is not None
    assert text.count("\n## ") + int(left[1]) == 900


def test_runs_and_trend_read_no_more_than_recordings_and_names(
    command: Command, folder: Folder
) -> None:
    folder.fill()
    command.score("--no-config", "--record")
    kept = history(*[0.5 + number / 100 for number in range(49)])
    keep(kept)
    assert command("runs", "accept", kept[0].run[:8], "--name", "main", "--anyway").code == 0
    read: list[str] = []
    whole = FolderFiles.read

    def counted(self: FolderFiles, path: str) -> bytes | None:
        read.append(path)
        return whole(self, path)

    command.monkeypatch.setattr(FolderFiles, "read", counted)
    before = [command("runs").out, command("trend").out, command("trend", "-f", "html").out]
    assert len(read) == 3 * 50 + 1
    assert [each for each in read if "/seen/" not in each and not each.startswith("names/")] == []
    # What is not read need not be there.
    for path in Path(".ragstone/runs").glob("*/*.*"):
        path.unlink()
    assert [command("runs").out, command("trend").out, command("trend", "-f", "html").out] == before


def test_real_runs_have_a_trend(command: Command, folder: Folder) -> None:
    folder.fill()
    for gates in ("precision=0.5", "precision=0.9"):
        assert command.score("--no-config", "--record", "--gates", gates).code == 0
    found = command("trend", "precision", "--json").json["sections"][0]["metrics"]["precision"]
    assert [each["threshold"] for each in found["points"]] == [">= 0.5", ">= 0.9"]
    command("trend", "-o", "trend.html")
    for link in Page((folder.work / "trend.html").read_text()).links:
        assert (folder.work / unquote(link)).read_text().startswith("<!doctype html>")
