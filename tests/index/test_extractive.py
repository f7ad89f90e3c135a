"""The answerer quotes the best supported sentence, and knows when there is none."""

from __future__ import annotations

from ragstone.index.chunks import split_document
from ragstone.index.extractive import Answerer, Lesson, calibrated
from ragstone.index.markup_blocks import read_markdown
from ragstone.index.ranker import Ranker, words_of

PAGE = """# Relay

## Retention

Delivered events are kept for 30 days. Failed ones stay longer.

## Plans

| plan | price |
|---|---|
| Team | €19 per month |
| Studio | €79 per month |
"""


def best(question: str):
    document, chunks = split_document("relay.md", b"", read_markdown(PAGE))
    ranker = Ranker(chunks, [words_of(chunk) for chunk in chunks])
    extract = Answerer(ranker.idf).best(question, ranker.search(question, 5))
    return document, extract


def test_it_quotes_a_sentence_and_says_where_it_stands():
    document, extract = best("How long are delivered events kept?")
    assert extract.text == "Delivered events are kept for 30 days."
    begin, end = extract.offsets
    assert document.text.encode()[begin:end].decode() == extract.text
    assert extract.support == 1.0


def test_a_row_of_a_table_is_said_with_its_column_names():
    _, extract = best("What is the price of the plan Studio?")
    assert extract.text == "plan: Studio; price: €79 per month"


def test_a_question_about_something_else_has_little_support():
    _, extract = best("Which zebra is kept at the zoo?")
    assert extract is None or extract.support < 0.5
    assert best("of the")[1] is None


def test_an_amount_is_asked_of_a_sentence_with_a_number():
    _, plain = best("Are failed ones kept longer?")
    _, amount = best("How long are failed ones kept longer?")
    assert plain.text == "Failed ones stay longer."
    assert amount.support < plain.support


def test_the_threshold_is_where_most_questions_end_well():
    right, wrong, none = (0.9, True, True), (0.8, False, True), (0.7, False, False)
    assert calibrated([Lesson(*right), Lesson(*wrong), Lesson(*none)]) == 0.9
    assert calibrated([Lesson(*none), Lesson(0.6, True, True), Lesson(0.5, True, True)]) == 0.5
    assert calibrated([]) is None
