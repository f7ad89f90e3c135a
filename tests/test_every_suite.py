"""What must hold for every suite and every command that judges, told once over all of them.

Different JSON means a different digest; the same digest means the same bytes in every format. The
Python call and the command line agree. Threads, the folder and the order of lines do not matter.
"""

from __future__ import annotations

import json
import random
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from command import Ran, ragstone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kept.keep import CASES, KEPT
from long_runs import examples, one_of_each
from once_a_session import ran_once

from ragstone import api
from ragstone.cli.main import parser_of
from ragstone.cli.suite_command import inputs_given, options_given
from ragstone.errors import RagstoneError
from ragstone.gates.gate import Threshold
from ragstone.suites.config_file import Config
from ragstone.suites.registry import entries, find_suite

# Of two suites that share a command, the first is the one that its plain flags run.
COMMANDS = {entry.command: entry.name for entry in reversed(entries())}
# Commands of suites that came after the kept ones, over the same files.
LATER = {
    "answers_support": "score --gold gold.jsonl --trace trace.jsonl --texts texts.jsonl --by tags",
    "audit": "audit --trace trace.jsonl older.jsonl --texts texts.jsonl --sample-rate 0.5 --by q",
    "audit_gated": "audit --trace trace.jsonl --manifest manifest.jsonl --gates empty=0",
}
# Commands that judge with a suite, without what only this command line can do.
JUDGING = {
    name: words
    for name, case in {**CASES, **{name: {"command": each} for name, each in LATER.items()}}.items()
    if (words := shlex.split(case["command"]))[0] in COMMANDS
    and not {"calibrate", "--compact", "-o"} & set(words)
}
FORMATS = ("json", "md", "html", "xml", "csv", "sarif", "parquet")


def cases(turn: int) -> list[Any]:
    """A case of each suite for every run, and all of them for the long runs."""
    return one_of_each(JUDGING, lambda case: JUDGING[case][0], turn)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("every") / "files"
    shutil.copytree(KEPT / "files", folder)
    return folder


def run(folder: Path, words: list[str], *more: str) -> Ran:
    return ragstone(*words, *more, "--no-config", "--json", "--quiet", cwd=folder)


def plain(case: str) -> dict[str, Any]:
    """The JSON of a case as it is, run once for all that is compared with it."""
    return ran_once(*JUDGING[case], "--json", "--no-config")[0].json


def written(folder: Path, words: list[str], *more: str) -> dict[str, Any]:
    """What a command writes in every format; of places in files only that there is one."""
    outputs = [word for kind in FORMATS for word in ("-o", f"report.{kind}")]
    ran = run(folder, words, *more, *outputs)
    assert ran.code in (0, 1, 3), ran.err
    found: dict[str, Any] = {
        kind: (folder / f"report.{kind}").read_bytes() for kind in FORMATS if kind != "parquet"
    }
    found["sarif"] = without_places(json.loads(found["sarif"]))
    found["parquet"] = pyarrow.parquet.read_table(folder / "report.parquet").to_pylist()
    found["github"] = re.sub(
        "(file|line)=[^,:]*",
        "",
        ragstone(*words, *more, "--no-config", "-f", "github", cwd=folder).text,
    )
    return found


def without_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: without_places(item)
            for key, item in value.items()
            if key not in ("locations", "relatedLocations", "artifacts")
        }
    return [without_places(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("case", cases(0))
def test_neither_the_folder_nor_threads_nor_the_order_of_lines_matter(
    case: str, files: Path, tmp_path: Path
) -> None:
    words = JUDGING[case]
    other = tmp_path / "elsewhere with blanks"
    shutil.copytree(files, other)
    one = written(files, words, "--threads", "1")
    assert written(other, words, "--threads", "2") == one
    if "--keep" not in words:
        shuffle_lines(other)
        assert written(other, words) == one


def shuffle_lines(folder: Path) -> None:
    """Other orders of lines, where no question is repeated."""
    chance = random.Random(7)
    for path in folder.glob("*.jsonl"):
        lines = path.read_bytes().splitlines()
        names = [json.loads(line).get("qid") or json.loads(line).get("id") for line in lines]
        if None not in names and len(set(names)) == len(names):
            chance.shuffle(lines)
            path.write_bytes(b"\n".join(lines) + b"\n")


@pytest.mark.parametrize("case", cases(1))
def test_the_python_call_and_the_command_line_agree(
    case: str, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = JUDGING[case]
    monkeypatch.chdir(files)
    report = call_of(words)()
    ran = run(files, words)
    assert json.loads(report.to_json()) == ran.json
    assert report.to_json().encode() == ran.out
    assert report.exit_code == ran.code
    names = {"html": "call.html", "markdown": "call.md", "junit": "call.xml"}
    outputs = [word for name in names.values() for word in ("-o", str(tmp_path / name))]
    assert ragstone(*words, "--no-config", "--quiet", *outputs, cwd=files).code == ran.code
    for kind, name in names.items():
        assert report.render(kind) == (tmp_path / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("case", [name for name, words in JUDGING.items() if "--by" in words])
def test_the_values_of_a_slice_are_bounded(
    case: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = plain(case)["slices"]
    monkeypatch.setattr("ragstone.suites.slices.MOST_VALUES", 1)
    bounded = run(files, JUDGING[case]).json
    arms = len(bounded.get("systems", [None]))
    for field, values in every.items():
        tables = [bounded["slices"][field]] if arms == 1 else bounded["slices"][field].values()
        assert all(len(table) == 1 for table in tables)
        left_out = bounded["slices_left_out"][field]
        assert left_out["questions"] > 0
        if arms == 1:
            (shown,) = bounded["slices"][field]
            assert bounded["slices"][field][shown] == values[shown]
            assert left_out["values"] == len(values) - 1


def call_of(words: list[str]) -> Callable[..., Any]:
    """The Python call that a command line stands for; it takes further options."""
    parser = parser_of(words[0])
    arguments = parser.parse_args([*words, "--no-config"])
    suite = find_suite(COMMANDS[words[0]])
    given: dict[str, Any] = dict(inputs_given(arguments, suite, Config()))
    options = options_given(arguments, suite)
    return lambda **more: api.call(suite)(**given, **options, **more)


@pytest.mark.parametrize("case", cases(2))
# A run for each example: few of them here, and many in the long run.
@settings(max_examples=examples(4, long=200), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_different_json_means_a_different_digest(
    case: str, files: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """One value of one input is changed: if anything of the report changes, so does its digest."""
    folder = tmp_path_factory.mktemp("changed")
    words = JUDGING[case]
    for path in files.iterdir():
        if path.is_file():
            (folder / path.name).symlink_to(path)
    inputs = sorted({word for word in words if word.endswith(".jsonl")})
    if not inputs:
        return
    name = data.draw(st.sampled_from(inputs))
    lines = [json.loads(line) for line in (files / name).read_bytes().splitlines() if line.strip()]
    changes = [(n, path) for n, line in enumerate(lines) for path in leaves(line)]
    number, path = data.draw(st.sampled_from(changes))
    change(lines[number], path)
    (folder / name).unlink()
    (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    after = run(folder, words)
    if after.code == 2:
        return
    one, two = plain(case), after.json
    same = {k: v for k, v in one.items() if k != "digest"} == {
        k: v for k, v in two.items() if k != "digest"
    }
    assert same or one["digest"] != two["digest"], (name, number, path)


def leaves(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*at, key))
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from leaves(item, (*at, number))
    else:
        yield at


def change(value: Any, path: tuple[Any, ...]) -> None:
    for key in path[:-1]:
        value = value[key]
    found = value[path[-1]]
    if isinstance(found, bool):
        value[path[-1]] = not found
    elif isinstance(found, int | float):
        value[path[-1]] = found + 1
    elif isinstance(found, str):
        value[path[-1]] = f"{found} changed"
    else:
        value[path[-1]] = None


OPTIONS = {
    "k": ["--k", "1"],
    "keep": ["--keep", "first"],
    "strict": ["--strict"],
    "confidence": ["--confidence", "0.9"],
    "all": ["--all"],
    "report_texts": ["--report-texts", "none"],
    "by": ["--by", "tags"],
    "scope": ["--no-scope"],
    "refusal": ["--refusal", "no idea"],
    "index_only": ["--index-only"],
    "unit": ["--unit", "codepoints"],
    "grade": ["--level", "2"],
    "sample_rate": ["--sample-rate", "0.25"],
}


# The last case of each suite that has not asked for a proof already.
ONE_EACH = {words[0]: case for case, words in JUDGING.items() if "--confidence" not in words}


def has(case: str, option: str) -> bool:
    suite = find_suite(COMMANDS[JUDGING[case][0]])
    return any(field.name == option for field in suite.own_options)


# Each option with one suite that has it, and all pairs in the long runs.
WITH_OPTIONS = one_of_each(
    [(case, option) for option in OPTIONS for case in ONE_EACH.values() if has(case, option)],
    lambda each: each[1],
    turn=3,
)


def test_every_option_is_tried_with_a_suite_that_has_it() -> None:
    assert {each.values[1] for each in WITH_OPTIONS} == set(OPTIONS)


@pytest.mark.parametrize(("case", "option"), WITH_OPTIONS)
def test_an_option_that_changes_the_report_changes_the_digest(
    case: str, option: str, files: Path
) -> None:
    words = JUDGING[case]
    after = run(files, words, *OPTIONS[option])
    if after.code == 2:
        return
    one, two = plain(case), after.json
    if {**one, "digest": ""} != {**two, "digest": ""}:
        assert one["digest"] != two["digest"]


@pytest.mark.parametrize("case", ONE_EACH.values())
def test_what_is_proven_is_told_and_confidence_asks_for_it(case: str, files: Path) -> None:
    told, ran = plain(case), run(files, JUDGING[case], "--confidence", "0.95")
    asked = ran.json
    assert asked["metrics"] == told["metrics"]
    for found in (told, asked):
        proven = [gate["proven"] for gate in found["gates"].values()]
        wanted = {"gates": proven.count(True), "of": len(proven), "level": 0.95}
        assert found["proven"] == (wanted if proven else None)
    for name, gate in asked["gates"].items():
        before = told["gates"][name]
        assert (gate["proven"], gate["needed"]) == (before["proven"], before["needed"])
        assert (gate["proven"] is True) is _on_the_right_side(gate)
        if before["status"] != "PASS" or gate["proven"] is not False:
            assert gate["status"] == before["status"]
        else:
            assert gate["status"] == "UNMEASURABLE"
            assert gate["note"].partition(" at ")[0].endswith("not proven")
    statuses = {gate["status"] for gate in asked["gates"].values()}
    code = 1 if "FAIL" in statuses else 3 if "UNMEASURABLE" in statuses else 0
    assert ran.code == code


def _on_the_right_side(gate: dict[str, Any]) -> bool:
    """Whether the whole interval meets the threshold, where a sample could show that."""
    low, high = gate["interval"] or (None, None)
    worse = low if gate["op"] in (">=", ">") else high
    if worse is None or low == high or gate["op"] == "=" or gate["vacuous"]:
        return False
    limit, share = Threshold(gate["op"], gate["threshold"]), gate["numerator"] is not None
    return limit.holds(worse) and not (share and gate["threshold"] in (0, 1))


def test_every_suite_is_among_the_cases() -> None:
    assert {COMMANDS[words[0]] for words in JUDGING.values()} == set(COMMANDS.values())


def test_a_refusal_of_the_call_is_that_of_the_command(files: Path) -> None:
    with pytest.raises(RagstoneError) as caught:
        api.call(find_suite("answers"))(str(files / "gold.jsonl"), str(files / "none.jsonl"))
    ran = run(files, ["score", "--gold", "gold.jsonl", "--trace", str(files / "none.jsonl")])
    assert ran.code == 2
    assert str(caught.value) in ran.err
