"""Gold items and traces with everything in them that the suite `answers` looks at."""

from __future__ import annotations

from builders import Record, gold, refusal, trace


def items(count: int) -> list[Record]:
    """Phrases, typed answers, constraints, nuggets, tags, a level; some cannot be answered."""
    made = []
    for number in range(count):
        more: Record = {"tags": [f"tag {number % 3}", "ä"], "level": number % 4}
        if number % 5 == 1:
            more |= {"answerable": False, "gold_claim_substr": [], "gold_citations": []}
        elif number % 5 == 2:
            more |= {"gold_answer": {"number": 1577, "unit": "USD million"}}
            more["gold_claim_substr"] = []
        elif number % 5 == 3:
            more["constraints"] = ["X rejects null keys."]
        elif number % 10 == 4:
            more["nuggets"] = [{"id": "n1", "any": ["rejects null keys"]}]
            more["gold_citations_any"] = [["p1#2", "p2#1"]]
        # Two items share one text: one cluster, which one line of the older shape answers.
        more["question"] = f"Does X take null keys, case {number - number % 2}?"
        made.append(gold(f"Q{number:03}", **more))
    return made


CLAIMS = (
    "X rejects null keys.",
    "not in context",
    "It was $1.577 billion in 2018.",
    "X accepts null keys, I think.",
    "I cannot answer that.",
    "",
)


def lines(count: int, turn: int) -> list[Record]:
    """A line or two of most questions, and lines of questions that nobody knows."""
    made = []
    for number in range(count):
        qid, claim = f"Q{number:03}", CLAIMS[(number * 7 + turn) % len(CLAIMS)]
        cites = ("p1#2",) if number % 4 else ("p9#9",)
        if number % 11 == turn:
            continue
        made.append(refusal(qid) if claim == "not in context" else trace(qid, claim, cites))
        if number % 13 == turn:
            made.append(trace(qid, "X rejects null keys.", echo=["X rejects null keys."]))
        if number % 17 == 0:
            made.append(trace(f"unknown {number}"))
        if number % 19 == 0:
            del made[-1]["qid"]
    return made


def by_question(count: int) -> list[Record]:
    """The same in today's shape, under names of its own and without a qid."""
    return [
        {
            "query": f"Does X take null keys, case {number}?",
            "ids": ["p1#2"],
            "response": CLAIMS[number % len(CLAIMS)],
        }
        for number in range(0, count, 2)
    ]


def older(count: int) -> list[Record]:
    """The same in the older shape: the question leads to the items."""
    return [
        {
            "q": f"Does X take null keys, case {number}?",
            "chunks": [{"id": "p1#2", "score": 0.9}],
            "answer": f"- {CLAIMS[number % len(CLAIMS)]}\n- citations: [p1#2]",
        }
        for number in range(0, count, 2)
    ]
