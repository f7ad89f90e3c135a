"""What a waiver does, told once over all suites: no gate counts the question, all else shows it.

The gates of a run with a waiver are those of the same run over files without the question.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import shutil
from collections.abc import Iterable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from builders import gold, refusal, trace
from command import Ran, ragstone
from long_runs import examples, one_in_three, one_of_each
from test_every_suite import COMMANDS, JUDGING, KEPT, call_of, plain, run

from ragstone import api
from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError
from ragstone.suites.waived_questions import taken_out

# The same lines as those of `answers`, packed.
UNPACKED = {case: words for case, words in JUDGING.items() if case != "answers_packed"}
# One for each suite, with gates.
ONE_EACH = {COMMANDS[words[0]]: case for case, words in JUDGING.items() if "without" not in case}
NOTE = "without 1 waived question"
# What waiving a question may change in the JSON of a report.
CHANGED = ("decision", "pass", "proven", "digest", "settings", "gates", "warnings", "verdict")
ADDED = ("waived", "gated_metrics")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("waived") / "files"
    shutil.copytree(KEPT / "files", folder)
    return folder


def waived(folder: Path, words: Iterable[str], *qids: str, until: str = "2027-01-31") -> Ran:
    """A command in a folder whose ragstone.toml waives these questions and says nothing else."""
    tables = (
        f'[[waive]]\nqid = {json.dumps(qid)}\nuntil = "{until}"\nwhy = "known"\n' for qid in qids
    )
    path = folder / "waivers.toml"
    path.write_text("".join(tables), encoding="utf-8")
    given = ("--as-of", "2026-11-17", "--config", "waivers.toml", "--json", "--quiet")
    return ragstone(*words, *given, cwd=folder)


@cache
def rows_of(case: str, folder: Path) -> tuple[Any, ...]:
    """The qid of each row of a command over files that nobody changes; it runs once for all."""
    with contextlib.chdir(folder):
        return tuple(call_of(JUDGING[case])().rows().column("qid").to_pylist())


def questions_of(case: str, folder: Path) -> list[str]:
    """The qids of the rows of a command that stand in its files as they are."""
    found = map(str, rows_of(case, folder))
    return sorted({qid for qid in found if not qid.startswith("trace ")})


def without(folder: Path, qid: str, into: Path, *, by_text: bool = True) -> Path:
    """A copy of the files, in which no line is about the question.

    Only beside a gold set does the text of a question name it.
    """
    shutil.copytree(folder, into)
    asked = {qid}
    for line in (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines():
        if by_text and json.loads(line)["qid"] == qid:
            asked.add(json.loads(line)["question"])
    for path in into.iterdir():
        if path.suffix == ".jsonl":
            path.write_text(_lines(path.read_text(encoding="utf-8"), asked), encoding="utf-8")
        elif path.suffix == ".json":
            _keep_json(path, qid)
        elif path.suffix in (".tsv", ".run", ".txt"):
            path.write_text(_first(path.read_text(encoding="utf-8"), qid), encoding="utf-8")
        elif path.suffix == ".csv":
            _keep_csv(path, qid)
        elif path.name.endswith(".run.gz"):
            path.write_bytes(
                gzip.compress(_first(gzip.decompress(path.read_bytes()).decode(), qid).encode())
            )
        elif path.suffix == ".parquet":
            table = pyarrow.parquet.read_table(path)
            kept = [str(each) != qid for each in table.column("qid").to_pylist()]
            pyarrow.parquet.write_table(table.filter(kept), path)
    return into


def _lines(text: str, asked: set[str]) -> str:
    """JSON lines without those that name the question, by its id or, as older ones, its text."""

    def about(line: str) -> bool:
        found = json.loads(line)
        names = [found.get(key) for key in ("trace_id", "qid", "id") if found.get(key) is not None]
        return str(names[0] if names else found.get("q")) in asked

    return "".join(f"{line}\n" for line in text.splitlines() if line and not about(line))


def _first(text: str, qid: str) -> str:
    """Lines without those whose first word is the question."""
    return "".join(line for line in text.splitlines(keepends=True) if line.split()[:1] != [qid])


def _keep_csv(path: Path, qid: str) -> None:
    rows = [row for row in csv.reader(io.StringIO(path.read_text())) if row[0] != qid]
    into = io.StringIO()
    csv.writer(into).writerows(rows)
    path.write_text(into.getvalue())


def _keep_json(path: Path, qid: str) -> None:
    rows = json.loads(path.read_text())
    if isinstance(rows, list):
        path.write_text(json.dumps([row for row in rows if str(row.get("qid")) != qid]))


# What is left without waived questions was chosen by somebody: it has no interval, proves nothing.
OF_PROOF = ("interval", "needs_samples", "proven", "needed", "note", "waived", "with_waived")


def without_proof(found: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key not in OF_PROOF}


def judged(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The gates, without what they prove."""
    return {name: without_proof(gate) for name, gate in report["gates"].items()}


def must_prove_nothing(found: dict[str, Any], whole: dict[str, Any]) -> None:
    """No gate that lost a question is proven, and each shows its number with the question too."""
    for name, gate in found["gates"].items():
        if "waived" not in gate:
            assert NOTE not in gate["note"]
            continue
        assert gate["proven"] is not True
        assert gate["interval"] is None
        assert gate["note"].endswith(NOTE)
        true = whole["gates"][name]
        of = true["denominator"] if true["numerator"] is None else true["numerator"]
        assert f"{of:,}" in gate["with_waived"]


@pytest.mark.parametrize("case", one_of_each(UNPACKED, lambda case: UNPACKED[case][0], turn=5))
def test_gates_are_those_of_a_run_without_the_question(
    case: str, files: Path, tmp_path: Path
) -> None:
    words = UNPACKED[case]
    whole = plain(case)
    questions = questions_of(case, files)
    assert len(questions) > 1
    # In the long runs, every command with one question, and one command of each suite with three.
    for qid in questions[: examples(1, long=3) if case in ONE_EACH.values() else 1]:
        ran = waived(files, words, qid)
        found = ran.json
        others = without(files, qid, tmp_path / qid, by_text=words[0] != "audit")
        rest = run(others, words)
        if rest.code == 2:
            # Without its only line an input is empty, and then nothing is scored.
            assert "empty" in rest.err or "share no question" in rest.err, rest.err
            continue
        must_prove_nothing(found, whole)
        if "--confidence" in words:
            # Of what is left nothing is proven, so what asks for a proof does not pass.
            passing = [each for each in found["gates"].values() if each["status"] == "PASS"]
            assert all(each["proven"] is None for each in passing), qid
        else:
            assert judged(found) == judged(rest.json), qid
            assert (ran.code, found["decision"]) == (rest.code, rest.json["decision"])
        assert found["metrics"] == whole["metrics"]
        for name, measured in found["gated_metrics"].items():
            if name in rest.json["metrics"]:
                assert without_proof(measured) == {
                    key: rest.json["metrics"][name][key] for key in without_proof(measured)
                }
        assert list(found["gated_metrics"]) == list(found["metrics"])
        assert unchanged(found) == unchanged(whole)
        assert [each["qid"] for each in found["waived"]] == [qid]


def unchanged(report: dict[str, Any]) -> dict[str, Any]:
    """What waiving a question does not change."""
    found = {key: value for key, value in report.items() if key not in (*CHANGED, *ADDED)}
    for arms in ("systems", "runs"):
        if isinstance(found.get(arms), list):
            found[arms] = [
                {name: value for name, value in arm.items() if name not in ADDED}
                for arm in found[arms]
            ]
    return found


# What these say does not depend on the suite: each is told of some, and all of them of each.
@pytest.mark.parametrize("case", one_in_three(ONE_EACH.values(), 0))
def test_a_waiver_that_has_ended_is_listed_and_changes_nothing_else(case: str, files: Path) -> None:
    words = JUDGING[case]
    qid = questions_of(case, files)[0]
    whole, ran = plain(case), waived(files, words, qid, until="2026-11-16")
    found = ran.json
    assert found["waived"] == [
        {"qid": qid, "until": "2026-11-16", "why": "known", "state": "expired"}
    ]
    assert "gated_metrics" not in found
    told = f"the waiver of {qid} ended on 2026-11-16: it counts again"
    assert [each for each in found["warnings"] if each != told] == whole["warnings"]
    assert found["settings"].pop("waive") == [{"qid": qid, "until": "2026-11-16", "why": "known"}]
    assert found["settings"].pop("as_of") == "2026-11-17"
    assert found["digest"] != whole["digest"]
    same = (key for key in whole if key not in ("digest", "warnings"))
    assert all(found[key] == whole[key] for key in same)


@pytest.mark.parametrize("case", one_in_three(ONE_EACH.values(), 1))
def test_the_day_is_part_of_the_digest_only_where_something_is_waived(
    case: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = JUDGING[case]
    qid = questions_of(case, files)[0]
    waive = [{"qid": qid, "until": "2027-01-31", "why": "known"}]
    digests: dict[str, list[str]] = {"plain": [], "waived": []}
    monkeypatch.chdir(files)
    for day in ("2026-11-17", "2026-11-18"):
        monkeypatch.setattr("ragstone.suites.waivers.today", lambda day=day: day)
        bare, excused = call_of(words)(), call_of(words)(waive=waive)
        assert not {"as_of", "waive"} & set(bare.settings)
        assert (excused.settings["as_of"], excused.settings["waive"]) == (day, waive)
        digests["plain"].append(bare.digest)
        digests["waived"].append(excused.digest)
    assert len(set(digests["plain"])) == 1
    assert len(set(digests["waived"])) == 2


@pytest.mark.parametrize("case", one_in_three(ONE_EACH.values(), 2))
def test_a_call_with_waivers_is_the_command_with_them_in_any_order(
    case: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = JUDGING[case]
    qids = questions_of(case, files)[:2]
    ran = waived(files, words, *qids)
    assert waived(files, words, *reversed(qids)).out == ran.out
    waive = [{"qid": qid, "until": "2027-01-31", "why": "known"} for qid in reversed(qids)]
    monkeypatch.chdir(files)
    report = call_of(words)(waive=waive, as_of="2026-11-17")
    assert report.to_json().encode() == ran.out
    assert report.exit_code == ran.code


@pytest.mark.parametrize("case", one_in_three(ONE_EACH.values(), 0))
def test_with_every_question_waived_no_gate_has_anything_to_test(case: str, files: Path) -> None:
    words = JUDGING[case]
    qids = sorted(set(rows_of(case, files)))
    found = waived(files, words, *qids).json
    for gate in found["gates"].values():
        assert gate["vacuous"] or gate["value"] is None, gate
        assert gate["denominator"] == 0
    strict = waived(files, [*words, "--strict"], *qids)
    assert strict.code == (3 if found["gates"] else 0)


def test_a_trace_that_is_waived_is_not_asked_again() -> None:
    """Of three traces of one question, the two that are left are compared with each other."""
    said = {"t1": "not in context", "t2": "It costs 5 euros.", "t3": "It costs 5 euros."}
    traces = [
        {"trace_id": name, "q": "What does it cost?", "answer_json": {"claim": claim}}
        for name, claim in said.items()
    ]

    def inconsistent(*qids: str) -> tuple[Any, int]:
        waive = [{"qid": qid, "until": date(2027, 1, 31), "why": "known"} for qid in qids]
        report = api.audit(traces, waive=waive, as_of="2026-11-17", gates={"inconsistent": 0})
        (gate,) = report.gates
        assert report["inconsistent"].numerator == 1
        return gate.numerator, gate.denominator

    assert inconsistent() == (1, 1)
    assert inconsistent("t1") == (0, 1)
    assert inconsistent("t2") == (1, 1)
    assert inconsistent("t1", "t2") == (0, 0)
    waive = [{"qid": "t1", "until": "2027-01-31", "why": "known"}]
    alone: Any = api.audit(traces[:1], waive=waive, as_of="2026-11-17").data
    assert [each["state"] for each in alone["waived"]] == ["not_needed"]


def test_people_s_labels_of_a_waived_question_are_not_counted() -> None:
    """Of two systems, whose answers to one question are several rows."""
    qids = [f"A{number}" for number in range(6)]
    systems = {
        "old": [trace(qid) if qid != "A1" else refusal(qid) for qid in qids],
        "new": [trace(qid, "Who knows?") if qid == "A2" else trace(qid) for qid in qids],
    }
    labels = [
        {"qid": qid, "system": system, "label": "incorrect" if qid in ("A1", "A2") else "correct"}
        for qid in qids
        for system in systems
    ]
    gates = {"percent_agreement": 0.5, "kappa": 0.1, "rank_correlation": 0.5, "missing": 0}

    def judged_by(**more: Any) -> dict[str, Any]:
        report = api.people([gold(qid) for qid in qids], systems, labels, gates=gates, **more)
        return judged(report.to_dict())

    waive = [{"qid": "A1", "until": "2027-01-31", "why": "known"}]
    found = judged_by(waive=waive, as_of="2026-11-17")
    assert found != judged_by()
    qids = [qid for qid in qids if qid != "A1"]
    systems = {name: [row for row in rows if row["qid"] != "A1"] for name, rows in systems.items()}
    labels = [label for label in labels if label["qid"] != "A1"]
    assert found == judged_by()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"waive": 3}, "waive: cannot be made of 3"),
        ({"waive": "A1"}, "waive[0]: expected a table with `qid`, `until` and `why`"),
        ({"waive": [{"qid": "A1", "why": "x"}]}, "waive[0]: `until` is missing"),
        ({"waive": [{"qid": "A1", "until": "x", "why": "x"}]}, "waive[0].until: expected a date"),
        (
            {"waive": [{"qid": "\ud800", "until": "2027-01-31", "why": "x"}]},
            "waive[0].qid: expected UTF-8",
        ),
        ({"as_of": 3}, "as_of: expected a string, found 3"),
        ({"as_of": "2027-13-01"}, "as_of: expected a date such as 2027-01-31"),
    ],
)
def test_a_call_with_a_bad_waiver_says_what_is_wrong(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        api.score([gold("A1")], [trace("A1")], **given)
    assert str(caught.value).startswith(says)


def test_no_waivers_are_no_waivers() -> None:
    bare = api.score([gold("A1")], [trace("A1")])
    for none in ((), [], None):
        assert api.score([gold("A1")], [trace("A1")], waive=none).to_json() == bare.to_json()


def test_every_table_that_a_metric_is_over_knows_its_questions(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are taken out by qid, so a table without one could not be judged without a question."""
    monkeypatch.chdir(files)
    tables: set[str] = set()

    def looked_at(duck: Duck, names: Any, *rest: Any) -> Any:
        for name in names:
            assert {"arm", "qid"} <= set(duck.columns(name)), name
        tables.update(names)
        return taken_out(duck, names, *rest)

    monkeypatch.setattr("ragstone.suites.waived_questions.taken_out", looked_at)
    waive = [{"qid": "x", "until": "2027-01-31", "why": "x"}]
    for case in ("agreement_raters", *ONE_EACH.values()):
        call_of(JUDGING[case])(waive=waive, as_of="2027-01-31")
    assert {"rows", "triplets", "alike", "units", "label_pairs", "questions"} <= tables
