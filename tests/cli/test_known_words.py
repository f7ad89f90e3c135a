"""`ragstone explain WORD`: words of other tools, with our nearest metric and the difference."""

from __future__ import annotations

from collections import Counter

import pytest
from command import Command

from ragstone.cli.explain import metrics_by_suite
from ragstone.cli.known_words import Word, known_word, known_words, plain_spelling

OWN = {
    f"{suite}.{metric.name}" for suite, metrics in metrics_by_suite().items() for metric in metrics
}
ASKED = (
    *("faithfulness", "groundedness", "answer_relevancy", "answer_relevance", "context_precision"),
    *("context_recall", "hallucination", "accuracy_given_attempted", "str_em", "exact_match"),
    *(
        "token f1",
        "success@k",
        "nugget recall",
        "pass^k",
        "pass@k",
        "answer_correctness",
        "bleu",
        "rouge",
    ),
    *("semantic similarity", "bertscore", "citation recall", "citation precision", "attribution"),
    *("AIS", "abstention recall", "map", "ndcg", "hit rate", "full recall", "coverage", "rouge"),
)


@pytest.mark.parametrize("word", known_words(), ids=lambda word: word.word)
def test_every_nearest_metric_exists(word: Word) -> None:
    assert word.nearest
    assert set(word.nearest) <= OWN


def test_no_spelling_stands_for_two_words() -> None:
    spelled = [
        plain_spelling(each) for word in known_words() for each in (word.word, *word.spellings)
    ]
    assert [each for each, times in Counter(spelled).items() if times > 1] == []


@pytest.mark.parametrize("word", ASKED)
def test_a_word_is_answered_however_it_is_spelled(word: str, command: Command) -> None:
    ran = command("explain", word)
    assert (ran.code, ran.err) == (0, "")
    assert "\ndifference:" in f"\n{ran.text}"
    for spelled in (word.upper(), word.replace("_", "-"), word.replace(" ", "_")):
        assert known_word(spelled) == known_word(word), spelled


def test_a_number_stands_for_k(command: Command) -> None:
    assert command("explain", "success@7").out == command("explain", "success@k").out


def test_the_page_of_a_word_says_nearest_and_difference(command: Command) -> None:
    lines = command("explain", "Faithfulness").text.splitlines()
    assert lines[0] == "elsewhere:    faithfulness (ragas, DeepEval, LlamaIndex)"
    assert lines[1].startswith("nearest:      ")
    said = "support sees wrong figures and quotes, not wrong reasoning; this is not faithfulness"
    assert lines[2].startswith(f"difference:   {said}")


def test_a_word_that_is_ours_too_comes_after_our_own_metric(command: Command) -> None:
    text = command("explain", "context_precision").text
    assert text.startswith("metric:       context.context_precision\n")
    assert "\n\nelsewhere:    context precision (ragas, DeepEval)\n" in text
    found = command("explain", "context_precision", "--json").json
    assert found["name"] == "context_precision"
    assert found["elsewhere"]["word"] == "context precision"
    assert command("explain", "precision", "--json").json["elsewhere"] is None


def test_a_word_is_data_for_programs(command: Command) -> None:
    found = command("explain", "str-em", "--json").json["elsewhere"]
    word = known_word("STR EM")
    assert word is not None
    assert (found["word"], found["nearest"]) == ("str_em", list(word.nearest))
    assert found["difference"] == word.difference


def test_own_metrics_are_found_in_any_spelling_too(command: Command) -> None:
    assert command("explain", "Under-Refusal").out == command("explain", "under_refusal").out


def test_a_misspelled_word_gets_a_suggestion(command: Command) -> None:
    ran = command("explain", "faithfullness")
    assert (ran.code, ran.out) == (2, b"")
    assert "did you mean 'faithfulness'?" in ran.err
