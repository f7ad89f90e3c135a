"""`ragstone canary --live-dir`: from pairs of a mirror to a decision."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import ragstone
from msgspec.structs import replace
from shadow.canary_runs import MANY, conditions, judged, ran
from shadow.made_pairs import (
    NOON,
    answered,
    kept,
    pair,
    pairs,
    retrieval_gold,
)

from ragstone.shadow.pair_files import Counts
from ragstone.shadow.pairs import Hit, Pair


def test_a_shadow_that_answers_alike_is_promoted(work: Path) -> None:
    kept(work / "live", pairs(MANY))
    found = judged(work)
    assert (found["verdict"], found["decision"]) == ("PROMOTE", "PASS")
    assert found["canary"]["decided_at"] == 241


def test_a_shadow_that_cites_wrongly_is_rolled_back_with_the_questions_that_show_why(
    work: Path,
) -> None:
    kept(work / "live", pairs(MANY, wrong=0.3))
    found = judged(work)
    assert found["verdict"] == "ROLL BACK"
    first = found["canary"]["worst"][0]
    number = int(first["qid"][1:])
    assert first["live_citations"] == [f"good-{number}"]
    assert first["shadow_citations"] == [f"bad-{number}"]


@pytest.mark.parametrize("kind", ["answers", "retrieval"])
def test_both_kinds_of_gold_judge_alike(work: Path, kind: str) -> None:
    kept(work / "live", pairs(40, wrong=0.4))
    retrieval_gold(work / "relevant.jsonl", MANY)
    found = judged(work, gold="gold.jsonl" if kind == "answers" else "relevant.jsonl")
    seen = conditions(found)
    lost = sum(
        each.shadow is not None and each.shadow.answer.citations[0].id.startswith("bad")
        for each in pairs(40, wrong=0.4)
    )
    assert seen["coverage"]["value"] == pytest.approx(-lost / 40)
    assert seen["recall"]["value"] == pytest.approx(-lost / 40)
    assert seen["citation_accuracy"]["value"] == pytest.approx(1 - lost / 40)


def test_a_citation_in_the_anchor_section_covers_a_question(work: Path) -> None:
    """The section of an id is read from the id, as the canary of two logs reads it."""
    shadow = answered(7, right=False, index="i2")
    beside = replace(shadow, answer=replace(shadow.answer, citations=(Hit("S.7.p.Bk011a"),)))
    kept(work / "live", [pair(7, shadow=beside), pair(8, shadow=answered(8, right=False))])
    retrieval_gold(work / "relevant.jsonl", MANY)
    assert conditions(judged(work, gold="relevant.jsonl"))["coverage"]["value"] == -0.5


@pytest.mark.parametrize("text", ["What is number 7?", "what is  NUMBER 7?"])
def test_a_question_is_known_by_its_folded_text_too(work: Path, text: str) -> None:
    kept(work / "live", [replace(pair(7), qid="", question=text)])
    assert conditions(judged(work))["recall"]["questions"] == 1


def test_a_question_without_an_answer_is_known_and_has_no_recall(work: Path) -> None:
    line = {"qid": "U1", "question": "What is unknown?", "answerable": False}
    (work / "gold.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    kept(work / "live", [pair(1, qid="", question="What is unknown?")])
    assert conditions(judged(work))["recall"]["questions"] == 0


def test_a_question_that_is_asked_again_counts_once(work: Path) -> None:
    wrong = answered(1, right=False, index="i2")
    bad = [pair(1, id=f"again-{n}", shadow=wrong) for n in range(200)]
    kept(work / "live", [pair(0), *bad])
    found = judged(work)["canary"]
    assert (found["pairs"], found["questions"], found["repeats"]) == (201, 2, 199)
    assert found["verdict"] == "HOLD"


def test_wordings_that_fold_to_one_text_are_one_question(work: Path) -> None:
    texts = ("What is it?", "WHAT is  it?", " what is it? ", "Was ist es?", "What is it")
    kept(work / "live", [pair(n, qid="", question=text) for n, text in enumerate(texts)])
    found = judged(work, gold="")["canary"]
    assert (found["pairs"], found["questions"], found["repeats"]) == (5, 3, 2)


@pytest.mark.parametrize("answerable", [True, False])
def test_wordings_with_one_qid_of_gold_are_one_question(work: Path, answerable: bool) -> None:
    line = {"qid": "Q001", "question": "What is number 1?", "answerable": answerable}
    (work / "one.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    texts = ("What is number 1?", "Which one is number 1?", "Number 1, please")
    kept(work / "live", [pair(1, id=f"p{n}", question=text) for n, text in enumerate(texts)])
    assert judged(work, gold="one.jsonl")["canary"]["questions"] == 1
    # Without gold, other words are another question: nothing says that they are not.
    assert judged(work, gold="")["canary"]["questions"] == 3


def test_paraphrases_of_gold_are_one_question(work: Path) -> None:
    retrieval_gold(work / "relevant.jsonl", MANY)
    texts = ("What is number 7?", "Number 7, what is it?", "NUMBER 7,  what is it?")
    kept(
        work / "live", [pair(7, id=f"p{n}", qid="", question=text) for n, text in enumerate(texts)]
    )
    assert judged(work, gold="relevant.jsonl")["canary"]["questions"] == 1


def test_one_text_under_many_qids_is_one_question(work: Path) -> None:
    kept(work / "live", [pair(n, question="What is it?") for n in range(180)])
    found = judged(work)["canary"]
    assert (found["questions"], found["repeats"], found["verdict"]) == (1, 179, "HOLD")


def test_no_answer_of_the_shadow_is_wrong_wherever_the_live_one_is_measured(work: Path) -> None:
    failed = [pair(n, shadow=None, failure="timeout: no answer within 30 s") for n in range(3)]
    kept(work / "live", failed)
    found = judged(work)
    seen = {name: each["value"] for name, each in conditions(found).items()}
    assert seen == {
        "coverage": -1.0,
        "citation_accuracy": 0.0,
        "delta_s_median": 0.0,
        "recall": -1.0,
        "flips": 1.0,
    }
    assert found["canary"]["failures"] == 3
    assert found["canary"]["worst"][0]["failure"].startswith("timeout")


def test_without_gold_the_pipelines_own_word_is_taken_and_recall_is_asked_for(work: Path) -> None:
    live, shadow = answered(1, coverage=1.0), answered(1, coverage=0.25, index="i2")
    kept(work / "live", [pair(1, live=live, shadow=shadow)])
    found = judged(work, gold="")
    assert conditions(found)["coverage"]["value"] == -0.75
    assert "give --gold" in found["because"]
    assert "recall=off" in found["because"]


def test_a_word_of_one_arm_alone_is_not_compared_with_the_check_of_the_other(work: Path) -> None:
    kept(work / "live", [pair(1, live=answered(1, coverage=0.5))])
    assert conditions(judged(work, gold=""))["coverage"]["value"] == 0.0


def test_a_computed_delta_s_counts_only_with_a_calibrated_line(work: Path) -> None:
    by = "ngram 1"
    kept(work / "live", [pair(1, shadow=answered(1, delta_s=0.5, by=by, index="i2"))])
    found = judged(work)
    assert conditions(found)["delta_s_median"]["state"] == "not measured"
    assert "calibrate" in conditions(found)["delta_s_median"]["note"]
    (work / "ragstone.toml").write_text(
        f'[retrieval]\ndelta_s_line = 0.9\ndelta_s_line_for = "{by}"\n', encoding="utf-8"
    )
    assert conditions(judged(work))["delta_s_median"]["value"] == 1.0


def test_a_proof_that_later_questions_took_away_promotes_nothing(work: Path) -> None:
    """Coverage is proven at 241, and then lost at every 12th question; R@5 is proven at 471."""
    asked = []
    for number in range(480):
        shadow = answered(number, right=number not in (10, 60), index="i2")
        if number > 245 and number % 12 == 6:
            uncited = replace(shadow.answer, citations=())
            shadow = replace(shadow, answer=uncited)
        elif number in (10, 60):
            cites_rightly = answered(number, index="i2").answer
            shadow = replace(shadow, answer=cites_rightly)
        asked.append(pair(number, shadow=shadow))
    kept(work / "live", asked)
    found = judged(work)
    coverage, recall = (conditions(found)[name] for name in ("coverage", "recall"))
    assert coverage["value"] == pytest.approx(-20 / 480)
    assert (recall["state"], recall["value"]) == ("proven", pytest.approx(-2 / 480))
    assert (found["verdict"], found["decision"]) == ("HOLD", "UNMEASURABLE")
    assert (coverage["state"], coverage["at"]) == ("open", 0)
    assert "no longer" in coverage["note"]


def test_a_second_build_of_the_shadows_index_rolls_back(work: Path) -> None:
    drifted = pair(5, shadow=answered(5, index="i3"))
    kept(work / "live", [*pairs(5), drifted, *pairs(MANY)[6:]])
    found = judged(work)
    assert found["verdict"] == "ROLL BACK"
    assert "changed from i2 to i3, at question 6" in found["because"]
    assert found["gates"]["index_builds"]["status"] == "FAIL"


def test_a_second_build_after_the_decision_changes_nothing(work: Path) -> None:
    drifted = pair(MANY, shadow=answered(MANY, index="i3"))
    kept(work / "live", [*pairs(MANY), drifted])
    found = judged(work)
    assert found["verdict"] == "PROMOTE"
    assert found["gates"]["index_builds"]["note"] == "seen after the decision"


def test_two_alert_windows_in_a_row_roll_back(work: Path) -> None:
    """A quarter of the answers is far from the questions: the p90 alarms, the median does not."""
    far = [
        pair(n, shadow=answered(n, delta_s=0.9 if n % 4 == 0 else 0.1, index="i2"))
        for n in range(600)
    ]
    spread = [replace(each, ts=NOON + 1_000 * n) for n, each in enumerate(far)]
    kept(work / "live", spread)
    # The test decides before the windows do, unless it needs more evidence.
    assert judged(work)["verdict"] == "PROMOTE"
    strict = judged(work, "--confidence", "0.9999")
    assert strict["verdict"] == "ROLL BACK"
    assert "two alert windows of the shadow in a row: delta_s_p90 >= 0.6" in strict["because"]
    assert strict["gates"]["alert_windows"]["status"] == "FAIL"


def test_alerts_are_off_where_the_settings_say_so(work: Path) -> None:
    far = [pair(n, shadow=answered(n, delta_s=0.9 if n % 4 == 0 else 0.1)) for n in range(600)]
    kept(work / "live", far)
    (work / "ragstone.toml").write_text(
        '[serve.alerts]\ndelta_s_p90 = "off"\n[serve.canary]\nconfidence = 0.9999\n',
        encoding="utf-8",
    )
    assert judged(work)["verdict"] == "PROMOTE"


def test_what_the_mirror_dropped_is_shown_and_not_counted(work: Path) -> None:
    counts = Counts(mirror="m1", seen=900, left_out=590, dropped=10, answered=300)
    kept(work / "live", [*pairs(MANY), counts, replace(counts, mirror="m2", dropped=3)])
    found = judged(work)
    assert found["canary"]["mirror"]["dropped"] == 13
    assert found["verdict"] == "PROMOTE"


def test_the_last_counts_of_a_mirror_stand(work: Path) -> None:
    counts = Counts(mirror="m1", seen=1)
    kept(work / "live", [pair(1), counts, replace(counts, seen=5)])
    assert judged(work)["canary"]["mirror"]["seen"] == 5


def test_a_planned_end_says_before_the_first_question_what_it_can_prove(work: Path) -> None:
    kept(work / "live", [])
    found = judged(work, "--max-questions", "300")
    assert "300 questions can prove, at best" in found["canary"]["plan"]
    assert "change of coverage >= -0.0161 (provable at best)" in found["canary"]["plan"]
    short = judged(work, "--max-questions", "100")["canary"]["plan"]
    assert "(not provable)" in short


def test_a_planned_end_is_reached_without_a_decision(work: Path) -> None:
    kept(work / "live", pairs(MANY))
    found = judged(work, "--max-questions", "100")
    assert found["verdict"] == "HOLD"
    assert "the planned end is reached" in found["because"]
    assert judged(work, "--max-questions", "250")["verdict"] == "PROMOTE"


def test_nothing_is_promoted_before_the_questions_span_the_time_that_is_asked_for(
    work: Path,
) -> None:
    day = 86_400_000
    spread = [replace(each, ts=NOON + n * day // 100) for n, each in enumerate(pairs(MANY))]
    kept(work / "live", spread)
    assert judged(work)["canary"]["decided_at"] == 241
    (work / "ragstone.toml").write_text('[serve.canary]\nat_least = "7d"\n', encoding="utf-8")
    found = judged(work)
    assert found["verdict"] == "HOLD"
    assert {each["state"] for each in conditions(found).values()} == {"proven"}
    assert found["because"] == (
        "all 5 conditions are proven at 95 %, and PROMOTE waits until the questions span 7 days; "
        "they span 2.9 days so far"
    )
    shown = ran(work, "--gold", "gold.jsonl", "--gates", "coverage=-0.01").text
    assert "waits     PROMOTE waits until the questions span 7 days; they span 2.9 days" in shown
    ended = judged(work, "--max-questions", "250")
    assert ended["because"].startswith("the planned end is reached: all 5 conditions are proven")
    assert judged(work, "--at-least", "60h")["canary"]["decided_at"] == 251


def test_the_span_goes_from_the_earliest_question_to_the_latest(work: Path) -> None:
    moments = (NOON + 50_000, NOON, NOON + 30_000)
    kept(work / "live", [pair(n, ts=moment) for n, moment in enumerate(moments)])
    again = pair(0, id="again", ts=NOON + 900_000)
    kept(work / "live", [again])
    assert judged(work)["canary"]["span"] == 50


def test_a_range_of_more_questions_comes_from_the_interval_that_decides(work: Path) -> None:
    kept(work / "live", pairs(120))
    because = judged(work)["because"]
    assert because.endswith("41 to 970 more questions would settle it if it goes on like this")


def test_the_order_of_arrival_decides_when_and_nothing_else(work: Path) -> None:
    asked = pairs(MANY, wrong=0.02)
    kept(work / "live", asked)
    first = judged(work, "--gates", "coverage=-0.5", "recall=-0.5")
    kept(work / "other", reversed(asked))
    turned = ragstone(
        *("canary", "--live-dir", "other", "--gold", "gold.jsonl", "--json"),
        *("--gates", "coverage=-0.5", "recall=-0.5"),
        cwd=work,
    ).json
    for name, each in conditions(first).items():
        other = conditions(turned)[name]
        assert (each["value"], each["low"], each["high"]) == (
            other["value"],
            other["low"],
            other["high"],
        )
        assert each["proving"] == pytest.approx(other["proving"], abs=1e-8)


def test_each_arm_is_judged_by_the_gold_with_its_own_ids(work: Path) -> None:
    # After re-chunking the same evidence has other ids: here those that would be wrong by gold.
    asked = [pair(n, shadow=answered(n, right=False, index="i2")) for n in range(MANY)]
    kept(work / "live", asked)
    assert judged(work)["verdict"] == "ROLL BACK"
    other = (work / "gold.jsonl").read_text(encoding="utf-8").replace("good-", "bad-")
    (work / "next.jsonl").write_text(other, encoding="utf-8")
    found = judged(work, "--shadow-gold", "next.jsonl")
    assert found["verdict"] == "PROMOTE"
    assert found["digest"] != judged(work)["digest"]
    table = '[serve.canary]\nshadow_gold = "next.jsonl"\n'
    (work / "ragstone.toml").write_text(table, encoding="utf-8")
    assert judged(work)["digest"] == found["digest"]


def test_the_parts_in_which_a_run_is_read_do_not_matter(work: Path) -> None:
    from ragstone.serve.canary_command import canary_setup, watching
    from ragstone.serve.canary_page import canary_page
    from ragstone.serve.serve_settings import serve_settings
    from ragstone.suites.config_file import Config

    far = [pair(n, shadow=answered(n, delta_s=0.9 if n % 3 else 0.1)) for n in range(450)]
    asked: list[Pair] = [*pairs(30), *far, *pairs(30)]
    files = kept(work / "live", asked)
    config = Config()
    with canary_setup(config, serve_settings(config), [str(work / "gold.jsonl")]) as setup:
        pages = []
        for most in (None, 1, 131, 200):
            with watching(work / "live", "shadow", setup) as watch:
                while watch.read(most if most != 1 else 400):
                    pass
                pages.append(canary_page(watch, ["shadow"]))
        assert all(page == pages[0] for page in pages)
        # What is forgotten counts no more: a rewritten file is read from its beginning.
        with watching(work / "live", "shadow", setup) as watch:
            watch.read()
            files.forget(["Q000"])
            watch.read()
            assert watch.watched.questions == pages[0].questions - 1


def test_after_a_damaged_line_nothing_was_read_by_half(tmp_path: Path) -> None:
    from ragstone.errors import InputError
    from ragstone.shadow.followed_pairs import FollowedPairs

    files = kept(tmp_path, [pair(1), pair(2), pair(3)])
    path = files.files()[0]
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join((lines[0], b"x" * (len(lines[1]) - 1) + b"\n", lines[2])))
    followed = FollowedPairs(files)
    with pytest.raises(InputError, match="damaged at line 2"):
        followed.next()
    path.write_bytes(whole)
    assert [line.pair.id for line in followed.next() if line.pair] == ["p1", "p2", "p3"]
    assert followed.next() == []
    assert followed.left() == 0
