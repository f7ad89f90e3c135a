"""Two validators: the vectors of the spec, the arbitration, the ways labels come in."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from builders import gold, refusal, trace, write_jsonl
from command import ragstone

from ragstone.suites.agreement.coefficients import alpha

NAMES = {"V": "VALID", "N": "NOT_IN_CONTEXT", "R": "REJECT", "A": "ABSTAIN"}


def pairs(counts: dict[str, int]) -> list[dict[str, Any]]:
    """Merged pairs from `{"VR": 5}`: scholar VALID, auditor REJECT, five times."""
    said = [both for both, count in counts.items() for _ in range(count)]
    return [
        {
            "qid": f"q{number:03}",
            "scholar": {"label": NAMES[both[0]]},
            "auditor": {"label": NAMES[both[1]]},
        }
        for number, both in enumerate(said)
    ]


@pytest.mark.parametrize(
    ("counts", "agreement", "kappa", "code"),
    [
        ({"VV": 45, "NN": 25, "RR": 20, "VR": 5, "NV": 3, "AV": 2}, 0.90, 0.8413, 0),
        ({"VV": 18, "RR": 1, "VR": 1}, 0.95, 0.6429, 1),
        ({"VV": 10}, 1.0, None, 0),
    ],
)
def test_the_vectors_of_the_spec(tmp_path, counts, agreement, kappa, code):
    file = write_jsonl(tmp_path / "pairs.jsonl", pairs(counts))
    ran = ragstone("agreement", "--pairs", file, "--json", "--no-config")
    assert ran.code == code
    assert ran.json["percent_agreement"] == agreement
    found = ran.json["kappa"]
    assert (None if found is None else round(found, 4)) == kappa
    wanted = "NOT TESTED" if kappa is None else "FAIL" if code else "PASS"
    assert ran.json["gates"]["kappa"]["status"] == wanted


def test_unanimous_labels_leave_the_verdict_to_agreement_alone(tmp_path):
    file = write_jsonl(tmp_path / "pairs.jsonl", pairs({"VV": 40}))
    words = ("agreement", "--pairs", file, "--json", "--no-config")
    found = ragstone(*words).json
    assert found["decision"] == "PASS"
    kappa = found["gates"]["kappa"]
    assert (kappa["status"], kappa["tested"], kappa["proven"]) == ("NOT TESTED", 0, None)
    assert "undefined" in kappa["note"]
    assert any("undefined" in warning for warning in found["warnings"])
    # Nothing says how often two say the same where the gate on that is taken out.
    without = ragstone(*words, "--gates", "percent_agreement=off")
    assert (without.code, without.json["decision"]) == (3, "UNMEASURABLE")
    assert ragstone(*words, "--gates", "alpha=0.5").code == 3


def test_no_pair_at_all_is_unmeasurable(tmp_path):
    ran = ragstone("agreement", "--pairs", write_jsonl(tmp_path / "p.jsonl", []), "--json")
    assert ran.code == 3
    assert ran.json["percent_agreement"] is None


def test_abstaining_is_counted_for_either_and_for_each(tmp_path):
    file = write_jsonl(tmp_path / "p.jsonl", pairs({"VV": 17, "AV": 1, "VA": 1, "AA": 1}))
    found = ragstone("agreement", "--pairs", file, "--json").json
    assert found["abstain_rate"] == 0.15
    assert found["abstain_rate_scholar"] == found["abstain_rate_auditor"] == 0.1
    assert found["gates"]["abstain_rate"]["status"] == "FAIL"


@pytest.mark.parametrize(
    ("changes", "final", "why"),
    [
        ({"flags": {"provenance_violation": True}}, "REJECT", "hard_flag"),
        ({"flags": {"constraints_mismatch": True}}, "REJECT", "hard_flag"),
        ({"answer_json": {"citations": ["p9"]}, "retrieved_ids": ["p1"]}, "REJECT",
         "citation_out_of_scope"),
        ({"scholar": "N", "auditor": "N"}, "NOT_IN_CONTEXT", "agreed_refusal"),
        ({"scholar": "V", "auditor": "A"}, "REJECT", "auditor_veto"),
        ({"answer_json": {"citations": ["p1"]}, "retrieved_ids": ["p1"]}, "VALID", "auditor_ok"),
        ({"scholar": "N", "auditor": "V"}, "REJECT", "incoherent_pair"),
    ],
)  # fmt: skip
def test_the_first_rule_that_matches_arbitrates(tmp_path, changes, final, why):
    (line,) = pairs({changes.pop("scholar", "V") + changes.pop("auditor", "V"): 1})
    file = write_jsonl(tmp_path / "p.jsonl", [{**line, **changes}])
    (row,) = ragstone("agreement", "--pairs", file, "--json").json["arbitration"]
    assert (row["final"], row["why"]) == (final, why)


def test_two_files_are_joined_and_what_only_one_labelled_is_listed(tmp_path):
    one = [{"qid": q, "label": "VALID", "reason": "fine"} for q in ("a", "b", "c")]
    two = [{"qid": q, "label": "INVALID"} for q in ("c", "b", "d", "e")]
    scholar = write_jsonl(tmp_path / "s.jsonl", one)
    auditor = write_jsonl(tmp_path / "a.jsonl", two)
    found = ragstone("agreement", "--scholar", scholar, "--auditor", auditor, "--json").json
    assert found["pairs"] == 2
    assert found["unpaired"] == {"scholar": ["a"], "auditor": ["d", "e"]}
    assert found["only_scholar"] == 1
    assert found["confusion"]["VALID"]["REJECT"] == 2
    assert len(found["warnings"]) == 2


def test_the_table_of_disagreements_has_no_agreement_in_it(tmp_path):
    file = write_jsonl(tmp_path / "p.jsonl", pairs({"VV": 3, "VR": 1, "NV": 1}))
    ran = ragstone("agreement", "--pairs", file, "-o", tmp_path / "d.tsv")
    assert ran.code == 1
    lines = (tmp_path / "d.tsv").read_text().splitlines()
    assert lines[0] == "qid\tscholar\tauditor\tfinal\twhy"
    assert lines[1:] == [
        "q003\tVALID\tREJECT\tREJECT\tauditor_veto",
        "q004\tNOT_IN_CONTEXT\tVALID\tREJECT\tincoherent_pair",
    ]


def test_every_bad_line_is_named(tmp_path):
    bad = [
        {"qid": "a", "scholar": {"label": "valid"}, "auditor": {"label": "VALID"}},
        {"qid": "b", "scholar": {"label": "VALID"}},
        {"qid": "b", "scholar": "VALID", "auditor": {"label": "VALID"}},
    ]
    ran = ragstone("agreement", "--pairs", write_jsonl(tmp_path / "p.jsonl", bad), cwd=tmp_path)
    assert ran.code == 2
    named = [line.split("p.jsonl:")[1] for line in ran.err.splitlines()[:3]]
    assert named[0].startswith("1: scholar.label: expected one of VALID, NOT_IN_CONTEXT")
    assert named[1] == "2: auditor.label: expected a string, found nothing"
    assert named[2].startswith("3: scholar: expected an object")


def test_a_question_is_labelled_once(tmp_path):
    file = write_jsonl(tmp_path / "p.jsonl", pairs({"VV": 1}) * 2)
    ran = ragstone("agreement", "--pairs", file)
    assert ran.code == 2
    assert 'qid: "q000" was already given on line 1' in ran.err


# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": examples A, B and C.
PUBLISHED = {
    0.095: ["0100000010", "1110010000"],
    0.692: ["aabbdcccedda", "babbbccceddd"],
    0.743: ["123321412   ", "1233224125 3", " 3332342251 ", "12332441251 "],
}


@pytest.mark.parametrize(("value", "raters"), PUBLISHED.items())
def test_alpha_is_that_of_the_published_examples(value, raters):
    items = list(zip(*raters, strict=True))
    units = Counter(
        tuple(sorted(Counter(label for label in item if label != " ").items())) for item in items
    )
    assert round(alpha(units), 3) == value


def test_three_raters_are_judged_by_alpha(tmp_path):
    said = {"ann": "VVNRV", "ben": "VVNRV", "cy": "VVNRR"}
    files = []
    for name, labels in said.items():
        rows = [{"qid": f"q{n}", "label": NAMES[x]} for n, x in enumerate(labels)]
        files.append(write_jsonl(tmp_path / f"{name}.jsonl", rows))
    ran = ragstone("agreement", "--raters", *files, "--json")
    assert ran.code == 1
    assert ran.json["percent_agreement"] == 13 / 15
    assert ran.json["gates"]["alpha"]["threshold"] == 0.75
    assert ran.json["splits"] == [
        {"qid": "q4", "labels": {"ann": "VALID", "ben": "VALID", "cy": "REJECT"}}
    ]


def test_labels_are_derived_from_traces(tmp_path):
    items = [
        gold("right"),
        gold("wrong"),
        gold("none"),
        gold("no", answerable=False),
        gold("unscoped"),
        gold("bare"),
        gold("locked", constraints=["X rejects null keys."]),
    ]
    lines = [
        trace("right"),
        trace("wrong", claim="X takes them."),
        refusal("no"),
        trace("unscoped", cites=["p1#2", "zz"]),
        trace("bare", cites=[]),
        trace("locked"),
    ]  # fmt: skip
    files = ["--gold", write_jsonl(tmp_path / "gold.jsonl", items),
             "--trace", write_jsonl(tmp_path / "trace.jsonl", lines)]  # fmt: skip
    found = ragstone("agreement", *files, "--json").json["arbitration"]
    said = {row["qid"]: (row["scholar"], row["auditor"], row["why"]) for row in found}
    assert said == {
        "right": ("VALID", "VALID", "auditor_ok"),
        "wrong": ("REJECT", "VALID", "incoherent_pair"),
        "none": ("ABSTAIN", "ABSTAIN", "auditor_veto"),
        "no": ("NOT_IN_CONTEXT", "NOT_IN_CONTEXT", "agreed_refusal"),
        "unscoped": ("REJECT", "REJECT", "citation_out_of_scope"),
        "bare": ("REJECT", "REJECT", "hard_flag"),
        "locked": ("VALID", "REJECT", "hard_flag"),
    }


def test_the_order_of_lines_and_the_threads_change_no_byte(tmp_path):
    lines = pairs({"VV": 20, "NN": 5, "VR": 2, "RV": 1})
    one = write_jsonl(tmp_path / "p.jsonl", lines)
    first = ragstone("agreement", "--pairs", one, "--json", "--threads", "1")
    random.Random(1).shuffle(lines)
    write_jsonl(one, lines)
    assert ragstone("agreement", "--pairs", one, "--json", "--threads", "2") == first


def test_hostile_text_stays_text_on_the_page(tmp_path):
    (line,) = pairs({"VR": 1})
    line["qid"] = "<script>alert(1)</script>"
    line["scholar"]["reason"] = "<img src=x onerror=alert(2)>"
    file = write_jsonl(tmp_path / "p.jsonl", [line])
    ragstone("agreement", "--pairs", file, "-o", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "<script>alert" not in page
    assert "<img" not in page


def test_gate_runs_the_suite_that_the_file_names(tmp_path):
    write_jsonl(tmp_path / "pairs.jsonl", pairs({"VV": 18, "RR": 1, "VR": 1}))
    toml = '[agreement]\npairs = "pairs.jsonl"\n[agreement.gates]\nkappa = 0.6\n'
    (tmp_path / "ragstone.toml").write_text(toml)
    ran = ragstone("gate", "--json", "-o", "r.xml", "-o", "r.md", cwd=tmp_path)
    assert ran.code == 0
    assert ran.json["gates"]["agreement.kappa"]["threshold"] == 0.6
    assert "agreement.percent_agreement" in (tmp_path / "r.xml").read_text()
    assert "Confusion matrix" in (tmp_path / "r.md").read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no labels"),
        (["--pairs", "a", "--raters", "b"], "cannot be given together"),
        (["--scholar", "a"], "--auditor FILE is missing"),
        (["--pairs", "nowhere.jsonl"], "does not exist"),
        (["--pairs", "p.tsv", "-o", "./p.tsv"], "would be replaced"),
    ],
)
def test_a_wrong_command_line_says_what_is_wrong(tmp_path: Path, words: list[str], says: str):
    ran = ragstone("agreement", *words, "--no-config", cwd=tmp_path)
    assert ran.code == 2
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_the_schema_knows_the_labels():
    schema = json.loads(ragstone("schema", "labels").out)
    assert schema["properties"]["label"]["enum"][:2] == ["VALID", "NOT_IN_CONTEXT"]


def test_labels_may_have_other_names(tmp_path):
    lines = [{"id": f"q{n}", "verdict": {"a": "VALID", "b": "REJECT"}} for n in range(4)]
    file = write_jsonl(tmp_path / "p.jsonl", lines)
    names = ["--map", "qid=id", "scholar.label=verdict.a", "auditor.label=verdict.b"]
    ran = ragstone("agreement", "--pairs", file, "--json", "--no-config", *names)
    assert ran.json["percent_agreement"] == 0.0
    ran = ragstone("agreement", "--pairs", file, "--map", "scholar.lable=verdict.a")
    assert (ran.code, "did you mean 'scholar.label'?" in ran.err) == (2, True)


def test_other_reasons_are_another_report_and_so_another_digest(tmp_path):
    found = []
    for reason in ("too short", "too long"):
        (line,) = pairs({"VR": 1})
        line["auditor"]["reason"] = reason
        file = write_jsonl(tmp_path / "p.jsonl", [line])
        found.append(ragstone("agreement", "--pairs", file, "--json", "--no-config").json)
    assert found[0]["arbitration"] != found[1]["arbitration"]
    assert found[0]["digest"] != found[1]["digest"]


def test_what_only_one_labelled_is_part_of_the_digest(tmp_path):
    scholar = write_jsonl(tmp_path / "s.jsonl", [{"qid": "a", "label": "VALID"}])
    found = []
    for alone in ("b", "c"):
        two = [{"qid": qid, "label": "VALID"} for qid in ("a", alone)]
        auditor = write_jsonl(tmp_path / "a.jsonl", two)
        words = ("--scholar", scholar, "--auditor", auditor, "--json", "--no-config")
        found.append(ragstone("agreement", *words).json)
    assert found[0]["unpaired"] != found[1]["unpaired"]
    assert found[0]["digest"] != found[1]["digest"]


def test_two_files_without_a_common_item_are_an_error(tmp_path):
    files = [
        write_jsonl(tmp_path / f"{qid}.jsonl", [{"qid": qid, "label": "VALID"}]) for qid in "abc"
    ]
    ran = ragstone("agreement", "--scholar", files[0], "--auditor", files[1], "--no-config")
    assert (ran.code, ran.err) == (2, "ragstone: scholar and auditor share no item\n")
    ran = ragstone("agreement", "--raters", *files, "--no-config")
    assert (ran.code, ran.err) == (2, "ragstone: no two of the raters share an item\n")


def test_gold_and_traces_without_a_common_question_are_an_error(tmp_path):
    files = ["--gold", write_jsonl(tmp_path / "gold.jsonl", [gold("a")]),
             "--trace", write_jsonl(tmp_path / "trace.jsonl", [trace("b")])]  # fmt: skip
    ran = ragstone("agreement", *files, "--no-config")
    assert (ran.code, "share no question" in ran.err) == (2, True)


def test_lists_of_items_stop_at_ten_unless_all_are_asked_for(tmp_path):
    one = [{"qid": f"q{n:02}", "label": "VALID"} for n in range(15)]
    scholar = write_jsonl(tmp_path / "s.jsonl", one)
    auditor = write_jsonl(tmp_path / "a.jsonl", one[:1])
    words = ("--scholar", scholar, "--auditor", auditor, "--json", "--no-config")
    found = ragstone("agreement", *words).json
    assert (len(found["unpaired"]["scholar"]), found["only_scholar"]) == (10, 14)
    assert len(ragstone("agreement", *words, "--all").json["unpaired"]["scholar"]) == 14


def test_raters_may_be_named_in_python(tmp_path):
    from ragstone.api import agreement

    said = {"ann": "VVN", "ben": "VVN", "cy": "VVR"}
    given = {
        name: [{"qid": f"q{n}", "label": NAMES[x]} for n, x in enumerate(labels)]
        for name, labels in said.items()
    }
    report = agreement(raters=given)
    assert report.data["splits"] == [
        {
            "qid": "q2",
            "labels": {"ann": "NOT_IN_CONTEXT", "ben": "NOT_IN_CONTEXT", "cy": "REJECT"},
        }
    ]
    # Who is who is said in the report, and so part of its digest.
    renamed = agreement(raters=dict(zip("abc", given.values(), strict=True)))
    assert renamed.digest != report.digest


def test_more_than_two_raters_have_no_table_of_disagreements(tmp_path):
    files = [write_jsonl(tmp_path / f"{n}.jsonl", [{"qid": "a", "label": "VALID"}]) for n in "abc"]
    ran = ragstone("agreement", "--raters", *files, "-o", tmp_path / "d.tsv", "--no-config")
    assert (ran.code, ".tsv: only the labels of two" in ran.err) == (2, True)


def test_slices_need_the_gold_set(tmp_path):
    file = write_jsonl(tmp_path / "p.jsonl", pairs({"VV": 2}))
    ran = ragstone("agreement", "--pairs", file, "--by", "tags", "--no-config")
    assert (ran.code, "give --gold and --trace" in ran.err) == (2, True)


def test_derived_labels_can_be_sliced(tmp_path):
    items = [gold("a", tags=["x"]), gold("b", tags=["y"])]
    lines = [trace("a"), trace("b", "no")]
    files = ["--gold", write_jsonl(tmp_path / "gold.jsonl", items),
             "--trace", write_jsonl(tmp_path / "trace.jsonl", lines)]  # fmt: skip
    found = ragstone("agreement", *files, "--by", "tags", "--json", "--no-config").json["slices"]
    assert found["tags"]["x"]["percent_agreement"]["value"] == 1.0
    assert found["tags"]["y"]["percent_agreement"]["value"] == 0.0


def test_the_tables_own_files_win_over_the_paths(tmp_path):
    from ragstone.api import gate

    write_jsonl(tmp_path / "pairs.jsonl", pairs({"VV": 10}))
    write_jsonl(tmp_path / "gold.jsonl", [gold("a")])
    write_jsonl(tmp_path / "trace.jsonl", [trace("a")])
    toml = '[paths]\ngold = "gold.jsonl"\ntrace = "trace.jsonl"\n[agreement]\ngates.kappa = 0.5\n'
    for own, count in (("", 1), ('pairs = "pairs.jsonl"\n', 10)):
        (tmp_path / "ragstone.toml").write_text(toml + own)
        ran = ragstone("gate", "--json", cwd=tmp_path)
        assert ran.json["suites"]["agreement"]["pairs"] == count
        assert gate(tmp_path / "ragstone.toml").to_dict()["digest"] == ran.json["digest"]


def test_the_confusion_matrix_is_a_table_on_the_terminal(tmp_path):
    file = write_jsonl(tmp_path / "p.jsonl", pairs({"VV": 3, "VR": 1}))
    shown = ragstone("agreement", "--pairs", file, "--no-config", "-v").text
    head, valid = (
        line.split() for line in shown.partition("Confusion matrix")[2].splitlines()[2:4]
    )
    assert head[0] == "scholar"
    cells = dict(zip(head, valid, strict=True))
    assert (cells["scholar"], cells["VALID"], cells["REJECT"]) == ("VALID", "3", "1")
