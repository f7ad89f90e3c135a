"""The retrieval page: its gold row and log line, its metrics, the compact JSON, both sets of gates.

Every figure is asked of a process. These tests are not edited when the code behind them is.
"""

from __future__ import annotations

from typing import Any

import pytest
from command import Folder, Process, Ran

Line = dict[str, Any]
WORDINGS = [
    "How does SCU unlock safety refusals?",
    "Explain symbolic constraint unlock.",
    "SCU: what is it and when to use?",
]
GOLD: Line = {
    "qid": "Q-0137",
    "paraphrases": WORDINGS,
    "relevant": ["S.4.2.p.Bk011a", "S.4.2.p.Bk011b"],
    "anchor_section": "S.4.2",
    "negatives": ["S.4.1.p.Bk010", "S.4.3.p.Bk014"],
}
LOG: Line = {
    "qid": "Q-0137",
    "query": "Explain symbolic constraint unlock.",
    "topk": [
        {"id": "S.4.2.p.Bk011a", "score": 0.83, "offsets": [204611, 205279], "type": "prose"},
        {"id": "S.4.1.p.Bk010", "score": 0.79, "offsets": [198002, 199112], "type": "prose"},
    ],
    "ΔS": [0.31, 0.59],
    "λ_state": "→",
    "anchor": "S.4.2",
    "index_hash": "faiss:v3:hnsw:cos",
    "ts": "2025-08-27T12:30:22Z",
}
COMPACT = [
    *("P@5", "R@5", "coverage", "citation_accuracy"),
    *("ΔS_med", "ΔS_p90", "bad_qids", "by_type"),
]
# A question of our own, with one relevant chunk at bytes 1000 to 1100.
OWN = "S.4.2.p.Bk001"


def item(qid: str = "q1", **fields: Any) -> Line:
    return {
        "qid": qid,
        "paraphrases": ["One?", "Two?", "Three?"],
        "relevant": [OWN],
        "anchor_section": "S.4.2",
        "negatives": ["S.4.3.p.Bk009"],
        "relevant_offsets": {OWN: [1000, 1100]},
        **fields,
    }


def run(
    qid: str = "q1",
    ids: tuple[str, ...] = (OWN,),
    cited: tuple[str, list[int]] | None = (OWN, [1000, 1100]),
    distance: float = 0.2,
    **fields: Any,
) -> Line:
    """One query that finds and cites the relevant chunk."""
    line: Line = {"qid": qid, "query": "One?", "topk": [{"id": each} for each in ids]}
    line["ΔS"] = [distance for _ in ids]
    if cited is not None:
        line["answer_citations"] = [{"id": cited[0], "offsets": cited[1]}]
    return {**line, **fields}


def runs(qid: str = "q1", **fields: Any) -> list[Line]:
    """Three paraphrases by two seeds."""
    wordings = ("One?", "Two?", "Three?")
    return [
        run(qid, **{"paraphrase": number, "query": wording, "seed": seed, **fields})
        for number, wording in enumerate(wordings)
        for seed in range(2)
    ]


class Retrieval:
    """The two commands on one gold set."""

    def __init__(self, folder: Folder, ragstone: Process) -> None:
        self.folder, self.ragstone = folder, ragstone

    def __call__(self, gold: list[Line], log: list[Line], *words: str) -> Ran:
        self.folder.write("gold.jsonl", gold)
        self.folder.write("log.jsonl", log)
        words = words or ("--json",)
        return self.ragstone("retrieval", "--gold", "gold.jsonl", "--log", "log.jsonl", *words)

    def canary(self, gold: list[Line], live: list[Line], shadow: list[Line], *words: str) -> Ran:
        self.folder.write("gold.jsonl", gold)
        self.folder.write("live.jsonl", [{**line, "index_hash": "live"} for line in live])
        self.folder.write("shadow.jsonl", [{**line, "index_hash": "shadow"} for line in shadow])
        logs = ("--live", "live.jsonl", "--shadow", "shadow.jsonl")
        return self.ragstone("canary", "--gold", "gold.jsonl", *logs, "--json", *words)


@pytest.fixture
def retrieval(folder: Folder, ragstone: Process) -> Retrieval:
    return Retrieval(folder, ragstone)


def statuses(ran: Ran) -> dict[str, str]:
    return {name: gate["status"] for name, gate in ran.json["gates"].items()}


# The page's own gold row and log line


def test_the_log_line_of_the_page(retrieval: Retrieval) -> None:
    found = retrieval([GOLD], [LOG]).json
    assert [found[f"P@{k}"] for k in (1, 3, 5, 10)] == [1.0, 0.5, 0.5, 0.5]
    assert [found[f"R@{k}"] for k in (1, 3, 5, 10)] == [0.5, 0.5, 0.5, 0.5]
    assert [found[f"anchor_hit@{k}"] for k in (1, 3, 5, 10)] == [1.0] * 4
    assert found["negative_above@5"] == 0.0
    assert found["delta_s_median"] == 0.31
    assert found["lambda"]["states"] == {"→": 1, "←": 0, "<>": 0, "×": 0}
    assert found["bad_qids"] == []


@pytest.mark.parametrize(
    ("distance", "state", "arrow"),
    [
        ("Î”S", "Î»_state", "â†’"),  # as the page itself shows them: read as cp1252
        ("ŒîS", "Œª_state", "‚Üí"),  # read as MacRoman
        ("Î\u0094S", "Î»_state", "â\u0086\u0092"),  # read as Latin-1
        ("delta_s", "lambda_state", "->"),
        ("dS", "λ_state", "->"),
    ],
)
def test_keys_and_values_in_the_wrong_encoding_are_recognised(
    retrieval: Retrieval, distance: str, state: str, arrow: str
) -> None:
    line = {key: value for key, value in LOG.items() if key not in ("ΔS", "λ_state")}
    found = retrieval([GOLD], [{**line, distance: LOG["ΔS"], state: arrow}]).json
    assert (found["P@5"], found["R@5"]) == (0.5, 0.5)
    assert (found["delta_s_median"], found["delta_s_p90"]) == (0.31, 0.31)
    assert found["lambda"]["states"] == {"→": 1, "←": 0, "<>": 0, "×": 0}


def test_every_spelling_of_a_state_is_that_state(retrieval: Retrieval) -> None:
    spelled = {
        "→": ["→", "->", "â†’", "‚Üí", "â\u0086\u0092"],
        "←": ["←", "<-", "â†\u0090", "‚Üê"],
        "<>": ["<>"],
        "×": ["×", "x", "Ã—", "√ó"],
    }
    logged = [spelling for spellings in spelled.values() for spelling in spellings]
    gold = [{**GOLD, "qid": f"q{number}"} for number in range(len(logged))]
    log = [{**LOG, "qid": f"q{n}", "λ_state": state} for n, state in enumerate(logged)]
    states = retrieval(gold, log).json["lambda"]["states"]
    assert states == {state: len(spellings) for state, spellings in spelled.items()}


def test_an_index_without_answers_is_unmeasurable_unless_only_the_index_is_asked(
    retrieval: Retrieval,
) -> None:
    ran = retrieval([GOLD], [LOG])
    assert (ran.code, ran.json["decision"], ran.json["coverage"]) == (3, "UNMEASURABLE", None)
    ran = retrieval([GOLD], [LOG], "--index-only", "--json")
    assert not {"coverage", "citation_accuracy"} & set(ran.json["gates"])


# The compact JSON


def test_the_compact_json_is_one_line_with_the_keys_of_the_page(retrieval: Retrieval) -> None:
    ran = retrieval([GOLD], [LOG], "--compact")
    assert ran.text.count("\n") == 1
    assert [key for key in ran.json if key != "format"] == COMPACT
    kept = {key: ran.json[key] for key in COMPACT if key != "by_type"}
    assert kept == {
        "P@5": 0.5,
        "R@5": 0.5,
        "coverage": None,
        "citation_accuracy": None,
        "ΔS_med": 0.31,
        "ΔS_p90": 0.31,
        "bad_qids": [],
    }
    assert ran.json["by_type"]["prose"]["R@5"] == 0.5


def test_the_compact_json_of_several_questions_and_types(retrieval: Retrieval) -> None:
    """Three questions, one answered wrongly and far away; the type is the first relevant id's.

    The page takes the median over all retrieved items of a question, then over the questions;
    the spec takes ΔS of the first cited snippet, and interpolates over the questions.
    """
    table = "S.5.1.p.Bk020"
    gold = [item("q1"), item("q2"), item("q3", relevant=[table], anchor_section="S.5.1")]
    gold[2]["relevant_offsets"] = {table: [0, 50]}
    typed = {"topk": [{"id": table, "type": "table"}], "ΔS": [0.2]}
    log = [
        run("q1", (OWN, "S.9.p.Bk7"), distance=0.3),
        run("q2", ("S.9.p.Bk7", OWN), ("S.9.p.Bk7", [0, 10]), distance=0.7),
        run("q3", (table,), (table, [0, 50]), **typed),
    ]
    found = retrieval(gold, log, "--compact").json
    assert found["P@5"] == pytest.approx(2 / 3)
    assert found["R@5"] == 1.0
    assert found["coverage"] == pytest.approx(2 / 3)
    assert found["citation_accuracy"] == pytest.approx(2 / 3)
    # Of 0.2, 0.3 and 0.7: the middle one, and four fifths of the way from it to the last.
    assert found["ΔS_med"] == pytest.approx(0.3)
    assert found["ΔS_p90"] == pytest.approx(0.62)
    assert found["bad_qids"] == ["q2"]
    assert found["by_type"]["table"]["coverage"] == 1.0


# Metrics


@pytest.mark.parametrize(
    ("ids", "precision", "recall"),
    [
        ((OWN,), 1.0, 1.0),
        (("S.9.p.Bk7", OWN), 0.5, 1.0),
        (("S.9.p.Bk7",), 0.0, 0.0),
        ((OWN, OWN), 1.0, 1.0),
        (("a", "b", "c", "d", "e", OWN), 0.0, 0.0),
    ],
)
def test_precision_and_recall_in_the_first_five(
    retrieval: Retrieval, ids: tuple[str, ...], precision: float, recall: float
) -> None:
    """The page's pseudocode divides by positions; the spec, as its formula, by distinct ids."""
    found = retrieval([item()], [run(ids=ids)]).json
    assert (found["P@5"], found["R@5"]) == (precision, recall)


@pytest.mark.parametrize(
    ("cited", "coverage"),
    [(OWN, 1.0), ("S.4.2.p.Bk777", 1.0), ("S.4.3.p.Bk002", 0.0), ("S.4.p.Bk002", 0.0)],
)
def test_an_answer_is_covered_by_a_relevant_id_or_its_section(
    retrieval: Retrieval, cited: str, coverage: float
) -> None:
    found = retrieval([item()], [run(cited=(cited, [0, 10]))]).json
    assert found["coverage"] == coverage


def test_the_section_of_an_id_is_read_from_its_form(retrieval: Retrieval) -> None:
    sections = {
        "S.4.2.p.Bk011a": "S.4.2",
        "A.3.1.bk012": "A.3.1",
        "doc|r=1|s=2.4.1|p=3|b=4": "2.4.1",
        "docA#s03#p002": "s03",
    }
    gold, log = [], []
    for number, (cited, section) in enumerate(sections.items()):
        gold.append(item(f"q{number}", anchor_section=section))
        log.append(run(f"q{number}", cited=(cited, [0, 10])))
    assert retrieval(gold, log).json["coverage"] == 1.0


@pytest.mark.parametrize(
    ("cited", "span", "accuracy"),
    [
        (OWN, [1000, 1100], 1.0),
        (OWN, [1129, 1200], 1.0),  # the last byte of the window of 30
        (OWN, [1130, 1200], 0.0),
        (OWN, [900, 971], 1.0),
        (OWN, [900, 970], 0.0),
        ("S.4.2.p.Bk777", [1000, 1100], 0.0),
    ],
)
def test_a_citation_is_accurate_within_thirty_bytes(
    retrieval: Retrieval, cited: str, span: list[int], accuracy: float
) -> None:
    found = retrieval([item()], [run(cited=(cited, span))]).json
    assert found["citation_accuracy"] == accuracy


def test_accuracy_is_over_answers_and_also_over_all_questions(retrieval: Retrieval) -> None:
    """The page's pseudocode divides by all of gold; the spec calls that citation_accuracy_all."""
    log = [run("q1"), run("q2", cited=None)]
    found = retrieval([item("q1"), item("q2")], log).json
    assert (found["citation_accuracy"], found["citation_accuracy_all"]) == (1.0, 0.5)
    assert found["coverage"] == 0.5


@pytest.mark.parametrize(
    ("cited", "steps"),
    [(OWN, 0), ("S.4.3.p.Bk002", 2), ("S.4.p.Bk002", 1), ("S.5.1.p.Bk002", 4)],
)
def test_anchor_proximity_is_a_path_in_the_title_tree(
    retrieval: Retrieval, cited: str, steps: int
) -> None:
    found = retrieval([item()], [run(cited=(cited, [0, 10]))]).json
    assert found["anchor_proximity"] == steps


def test_the_bands_of_delta_s(retrieval: Retrieval) -> None:
    """The page's bands overlap between 0.40 and 0.45; the spec ends `stable` below 0.40."""
    distances = [0.39, 0.40, 0.59, 0.60, 0.61]
    gold = [item(f"q{number}") for number in range(5)]
    log = [run(f"q{number}", distance=distance) for number, distance in enumerate(distances)]
    found = retrieval(gold, log).json
    assert found["delta_s_band"] == {"stable": 0.2, "transitional": 0.4, "risk": 0.4}
    # Bad is what lies above 0.60, not at it.
    assert found["bad_qids"] == ["q4"]


def test_a_hard_negative_above_the_evidence_is_counted(retrieval: Retrieval) -> None:
    log = [run("q1", ("S.4.3.p.Bk009", OWN)), run("q2", (OWN, "S.4.3.p.Bk009"))]
    found = retrieval([item("q1"), item("q2")], log).json
    assert found["negative_above@5"] == 0.5


def test_the_runs_of_a_question_are_averaged_first(retrieval: Retrieval) -> None:
    missed = [{**line, "topk": [{"id": "S.9.p.Bk7"}]} for line in runs("q1")[:3]]
    log = [*missed, *runs("q1")[3:], run("q2")]
    found = retrieval([item("q1"), item("q2")], log).json
    assert found["R@5"] == 0.75


# The acceptance targets of one index


def test_an_index_that_meets_every_target_ships(retrieval: Retrieval) -> None:
    ran = retrieval([item()], runs())
    assert statuses(ran) == dict.fromkeys(
        ("coverage", "citation_accuracy", "delta_s_over", "lambda_convergence"), "PASS"
    )
    assert ran.code == 0


@pytest.mark.parametrize(
    ("covered", "status"),
    [(7, "PASS"), (6, "FAIL")],
)
def test_coverage_of_seven_in_ten_is_enough(
    retrieval: Retrieval, covered: int, status: str
) -> None:
    gold = [item(f"q{number}") for number in range(10)]
    log = [
        run(f"q{number}", cited=(OWN if number < covered else "S.9.p.Bk7", [1000, 1100]))
        for number in range(10)
    ]
    ran = retrieval(gold, log)
    assert (ran.json["coverage"], statuses(ran)["coverage"]) == (covered / 10, status)


@pytest.mark.parametrize(("distance", "status"), [(0.45, "PASS"), (0.46, "FAIL")])
def test_every_cited_snippet_lies_within_the_line(
    retrieval: Retrieval, distance: float, status: str
) -> None:
    assert statuses(retrieval([item()], runs(distance=distance)))["delta_s_over"] == status


def test_convergence_needs_three_paraphrases_by_two_seeds(retrieval: Retrieval) -> None:
    ran = retrieval([item()], [run()])
    assert (ran.code, statuses(ran)["lambda_convergence"]) == (3, "UNMEASURABLE")
    scattered = [{**line, "λ_state": "×"} for line in runs()]
    ran = retrieval([item()], scattered)
    assert (ran.code, statuses(ran)["lambda_convergence"]) == (1, "FAIL")


# Eligible for canary


def test_a_shadow_as_good_as_live_is_eligible(retrieval: Retrieval) -> None:
    ran = retrieval.canary([item()], runs(), runs())
    assert (ran.code, ran.json["pass"], ran.json["verdict"]) == (0, True, "ELIGIBLE")
    assert {"coverage", "citation_accuracy", "delta_s_median", "delta_s_p90"} <= set(statuses(ran))
    assert {"R@5_delta", "lambda_convergence"} <= set(statuses(ran))


@pytest.mark.parametrize(("missed", "status"), [(1, "PASS"), (2, "FAIL")])
def test_recall_may_drop_by_two_points_and_no_more(
    retrieval: Retrieval, missed: int, status: str
) -> None:
    """Of fifty questions live finds all: one less is a drop of exactly 0.02."""
    gold = [item(f"q{number:02}") for number in range(50)]
    live = [line for each in gold for line in runs(each["qid"])]
    lost = {each["qid"] for each in gold[:missed]}
    shadow = [
        {**line, "topk": [{"id": "S.4.2.p.Bk777"}]} if line["qid"] in lost else line
        for line in live
    ]
    ran = retrieval.canary(gold, live, shadow)
    assert statuses(ran)["R@5_delta"] == status
    assert ran.json["R@5_delta"] == pytest.approx(-missed / 50)
    assert ran.code == (0 if status == "PASS" else 1)


@pytest.mark.parametrize(
    ("distance", "median", "p90"),
    [(0.40, "PASS", "PASS"), (0.41, "FAIL", "PASS"), (0.56, "FAIL", "FAIL")],
)
def test_the_canary_is_stricter_about_delta_s(
    retrieval: Retrieval, distance: float, median: str, p90: str
) -> None:
    found = statuses(retrieval.canary([item()], runs(), runs(distance=distance)))
    assert (found["delta_s_median"], found["delta_s_p90"]) == (median, p90)


def test_another_normaliser_or_reranker_is_refused(retrieval: Retrieval) -> None:
    for field in ("normalizer", "reranker"):
        live, shadow = runs(**{field: "one"}), runs(**{field: "two"})
        assert retrieval.canary([item()], live, shadow).code == 2
        assert retrieval.canary([item()], live, shadow, "--allow-mismatch").code == 0
