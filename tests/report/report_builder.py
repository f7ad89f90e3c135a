"""Reports made by hand, for every renderer's tests: a calm one, and one full of nasty strings."""

from __future__ import annotations

from dataclasses import replace

from ragstone.engine.line_places import Place
from ragstone.gates.gate import Judged, Status, Threshold
from ragstone.measure.metric import Count, Mean, Measured, Quantile, Ratio
from ragstone.report.document.blocks import (
    Answered,
    Finding,
    Funnel,
    Offender,
    Offenders,
    Picture,
    QuestionPair,
    QuestionPairs,
    Reading,
    Step,
    Table,
)
from ragstone.report.model import Report

SCRIPT = "<script>alert(1)</script>"
ESCAPES = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J"
NULL = "nul\x00byte"
OVERRIDE = "abc\u202edcba"
EMOJI = "👩‍🔬 stone 🪨"
PIPES = "a | b `c` *d* _e_ [f](http://g.example) | "
LINES = "first\nsecond\r\nthird\ttab"
MENTION = "@octocat see #12, GH-7 and https://evil.example/x or www.evil.example a@b.example"
MILLION = "word " * 200_000
NASTY = (SCRIPT, ESCAPES, NULL, OVERRIDE, EMOJI, PIPES, LINES, MENTION, MILLION)

DIGEST = "3f9a1c07" * 8


def ratio(
    name: str, hits: int, of: int, interval: tuple[float, float] | None, **more: object
) -> Measured:
    says = str(more.get("says", f"What {name} says, in one sentence."))
    better = "lower" if more.get("lower") else "higher"
    metric = Ratio(
        name=name,
        of="shipped",
        hit="cited",
        empty=1.0,
        better=better,  # type: ignore[arg-type]
        says=says,
        title=str(more.get("title", "")),
        aliases=tuple(more.get("aliases", ())),  # type: ignore[arg-type]
    )
    return Measured(metric, hits / of if of else 1.0, hits, of, interval, of == 0)


def judged(
    measured: Measured, op: str, at: float, status: Status = Status.PASS, **more: object
) -> Judged:
    fields: dict[str, object] = {
        "name": measured.name,
        "metric": measured.name,
        "threshold": Threshold(op, at),  # type: ignore[arg-type]
        "value": measured.value,
        "judged_on": measured.value,
        "interval": measured.interval,
        "status": status,
    }
    return Judged(**{**fields, **more})  # type: ignore[arg-type]


PRECISION = ratio(
    "precision",
    63,
    87,
    (0.6222, 0.8073),
    title="right and rightly cited",
    says="Of what was shipped, how much is right and rightly cited.",
)
CHR = ratio(
    "chr", 71, 87, (0.7220, 0.8834), says="Of what was shipped, how much cites gold evidence."
)
UNDER = ratio(
    "under_refusal",
    1,
    20,
    (0.0089, 0.2361),
    lower=True,
    aliases=["under"],
    says="Of what cannot be answered, how much was answered all the same.",
)
OVER = ratio(
    "over_refusal",
    4,
    100,
    (0.0157, 0.0984),
    lower=True,
    aliases=["over"],
    says="Of what can be answered, how much was refused.",
)
RECALL = ratio(
    "recall@k",
    88,
    100,
    (0.8024, 0.9300),
    says="Of what can be answered, how often all the evidence was in the first k.",
)
FRACTION = Measured(
    Mean(
        name="recall_frac@k",
        of="answerable",
        value="share",
        empty=0.0,
        better="higher",
        says="The mean share of the gold evidence that was in the first k.",
    ),
    0.9166666666666666,
    None,
    100,
    (0.871, 0.9623),
    False,
)
VIOLATIONS = Measured(
    Count(
        name="scu_violations",
        of="shipped",
        hit="not intact",
        better="lower",
        says="How many shipped answers break a locked constraint.",
    ),
    3.0,
    3,
    14,
    None,
    False,
)
LATENCY = Measured(
    Quantile(
        name="latency_p95",
        of="true",
        value="latency_ms",
        q=0.95,
        better="lower",
        says="19 of 20 questions were answered within this time.",
        unit="ms",
    ),
    1840.25,
    None,
    120,
    (1620.0, 2105.5),
    False,
)
UNSCOPED = ratio(
    "unscoped",
    2,
    87,
    (0.0063, 0.0800),
    lower=True,
    says="Of what was shipped, how much cites what was not retrieved.",
)
CONTAINMENT = ratio(
    "containment", 0, 0, None, says="Of what was rightly shipped, how much holds a gold substring."
)

METRICS = {
    each.name: each
    for each in (
        PRECISION,
        CHR,
        UNDER,
        OVER,
        RECALL,
        FRACTION,
        VIOLATIONS,
        LATENCY,
        UNSCOPED,
        CONTAINMENT,
    )
}

GATES = (
    judged(PRECISION, ">=", 0.80, Status.FAIL, judged_on=0.6222, proven=False, needed=(40, 140)),
    judged(CHR, ">=", 0.75, proven=False, needed=(75, None)),
    judged(UNDER, "<=", 0.05, note="sampling cannot prove a gate this near to 0"),
    judged(OVER, "<=", 0.10, proven=True),
    judged(VIOLATIONS, "=", 0, Status.FAIL, note="sampling cannot prove a count"),
    judged(LATENCY, "<=", 2000.0),
    judged(
        PRECISION,
        ">=",
        0.90,
        Status.UNMEASURABLE,
        name="precision[tags=billing]",
        value=None,
        judged_on=None,
        interval=None,
        note="no question carries this tag",
    ),
)

ROWS = (
    Offender(
        qid="A0017",
        costs=("precision", "chr"),
        failed_checks=("cited", "scoped"),
        problems=("does not cite the right evidence", "cites something that was not retrieved"),
        question="Which keys does the store reject?",
        claim="The store rejects NULL keys, and so does the cache in front of it.",
        gold_claim_substr=("rejects null keys",),
        gold_citations=("p1#2",),
        citations=("p9#4", "p2#1"),
        retrieved_ids=("p1#1", "p1#2", "p2#1", "p3#7"),
        answerable=True,
    ),
    Offender(
        qid="A0042",
        costs=("precision",),
        failed_checks=("contained",),
        problems=("the answer does not say what gold expects",),
        question="From which domain may a user sign up?",
        claim="Users may sign up from any domain that an administrator has listed.",
        gold_claim_substr=("only domain example.com", "only from example.com"),
        gold_citations=("pB#1",),
        citations=("pB#1",),
        retrieved_ids=("pB#1", "p1#2"),
        constraints=("Only domain example.com.",),
        constraints_echo=(),
        answerable=True,
    ),
    Offender(
        qid="A0077",
        costs=("under_refusal",),
        failed_checks=("shipped",),
        problems=("answered, but the question has no answer",),
        question="What will the price be next year?",
        claim="The price will be 12 euros.",
        citations=("p4#1",),
        retrieved_ids=("p4#1", "p4#2"),
        answerable=False,
    ),
    Offender(
        qid="A0090",
        costs=("missing",),
        failed_checks=("missing",),
        problems=("the trace has no answer for it",),
        question="Who signs the release?",
        answerable=True,
    ),
)

PICTURE = Picture(
    "Latency",
    '<svg viewBox="0 0 600 60" width="600" role="presentation">'
    '<rect x="0" y="20" width="420" height="20" fill="#7a8ca5"/></svg>',
    "A bar: 70 % of the questions took less than a second.",
)

BLOCKS = (
    Reading(
        "Reading",
        (
            Finding(
                "precision low, chr high",
                "Right evidence, wrong claim: look at the claim schema or the gold substrings.",
                ("A0042", "A0051"),
                "right evidence, wrong answer",
                16,
            ),
            Finding(
                "unscoped > 0",
                "The pipeline cites what it did not retrieve.",
                ("A0017", "A0018"),
            ),
        ),
    ),
    Funnel(
        "Where answers are lost",
        100,
        (
            Step("reachable@5", 94, 6, ("A0003", "A0009"), "some gold citation is in the first 5"),
            Step("shipped", 87, 7, ("A0011",), "an answer was given"),
            Step("cited", 71, 16, tuple(f"A00{n}" for n in range(17, 33)), "it cites the gold"),
            Step("contained", 63, 8, ("A0042",), "it says what the gold says"),
            Step("intact", 63, 0, (), "no constraint is broken"),
        ),
        "Answerable questions, after each check.",
    ),
    Offenders("Offenders", ROWS, 41, "The rows that cost the most failed gates come first."),
    Table(
        "By tags",
        ("tags", "questions", "precision", "chr", "over_refusal"),
        (
            ("billing", 24, 0.7916666666, 0.875, 0.0416666),
            ("accounts", 51, 0.6862745, 0.7843137, 0.0588235),
            ("search", 45, 0.7333333, None, 0.0),
        ),
        "Each value of the field, with its own numbers.",
    ),
    PICTURE,
)

PLACES = {
    "A0017": (Place("eval/gold set.jsonl", 17), Place("runs/trace,1.jsonl", 204)),
    "A0042": (Place("eval/gold.jsonl", 42), None),
    "A0090": (None, None),
    "A0077": (Place("-", 3), Place("<traces>", 4)),
}


def report(**changes: object) -> Report:
    """A failing report with every kind of block; `changes` replace its fields."""
    whole = Report(
        suite="answers",
        version="0.1.0",
        figures={
            "answered": 87,
            "refused": 25,
            "answerable": 100,
            "unanswerable": 20,
            "precision": PRECISION.value,
            "k": 5,
        },
        metrics=METRICS,
        gates=GATES,
        digest=DIGEST,
        settings={"k": 5, "missing": "fail", "keep": "last", "refusal": ["not in context"]},
        data={"funnel": [{"step": "shipped", "left": 87}], "inputs": {"gold": {"lines": 120}}},
        blocks=BLOCKS,
        warnings=("3 traces name a qid that gold does not know.",),
        offending={
            "precision": ("A0017", "A0042"),
            "under_refusal": ("A0077",),
        },
        places=PLACES,
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


def passing() -> Report:
    return report(gates=(GATES[1], GATES[3]), warnings=(), blocks=())


def unmeasurable() -> Report:
    return report(gates=(GATES[1], GATES[6]))


BROKE = (
    QuestionPair(
        qid="A0042",
        question="From which domain may a user sign up?",
        before=Answered("Users may sign up only from example.com.", ("pB#1",), ("pB#1",), 2, 2),
        after=Answered("Users may sign up from any domain.", ("p1#2",), ("p1#2", "pB#1"), 0, 2),
        gold_claim_substr=("only domain example.com", "only from example.com"),
        gold_citations=("pB#1",),
        lost_at="cited",
        protected=True,
    ),
    QuestionPair(
        qid="A0017",
        question="Which keys does the store reject?",
        before=Answered("The store rejects NULL keys.", ("p1#2",), ("p1#1", "p1#2"), 1, 1),
        after=Answered(None, (), ("p1#1",), 0, 1),
        gold_claim_substr=("rejects null keys",),
        gold_citations=("p1#2",),
        lost_at="claimed",
    ),
)
RUNS = ("main.parquet", "pull-7.parquet")


def compared(**changes: object) -> Report:
    """A comparison of two runs: what changed comes before the gates."""
    ranking = QuestionPair("R1", None, None, Answered(retrieved_ids=("d1", "d2"), rows=1))
    mended = QuestionPair("A1", "Who?", Answered("Ben", rows=1), Answered("Ann", (), (), 1, 1))
    whole = report(
        suite="compare",
        metrics={},
        figures={},
        blocks=(
            QuestionPairs("Broke", BROKE, 12, RUNS, "Right before, wrong now.", regressions=True),
            QuestionPairs("Mended", (mended,), 1, RUNS),
            QuestionPairs("Only in B", (ranking,), 1, RUNS),
            BLOCKS[3],
        ),
        blocks_first=True,
        marker="compare: answers",
        notice="B (pull-7.parquet) beside A (main.parquet).",
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


def bare() -> Report:
    """Nothing but a name: no metric, no gate, no block."""
    return Report("answers", "0.1.0", {}, {}, (), DIGEST, {}, {})


def nasty_offender(text: str, qid: str = "N1") -> Offender:
    return Offender(
        qid=qid if len(text) > 1000 else text,
        costs=("precision", text),
        failed_checks=(text,),
        problems=(text,),
        question=text,
        claim=f"{text} rejects null keys {text}",
        gold_claim_substr=("rejects null keys", text),
        gold_citations=(text, "p1#2"),
        citations=(text, "p1#2"),
        retrieved_ids=(text,),
        constraints=(text,),
        constraints_echo=(text,),
        answerable=True,
    )


def nasty_pair(text: str, qid: str) -> QuestionPair:
    side = Answered(f"{text} rejects null keys", (text,), (text,), 0, 1)
    return QuestionPair(
        qid=qid if len(text) > 1000 else text,
        question=text,
        before=side,
        after=side,
        gold_claim_substr=("rejects null keys", text),
        gold_citations=(text,),
        lost_at=text,
        protected=True,
    )


def nasty(*texts: str) -> Report:
    """A report in which every string that data can reach is one of `texts`."""
    chosen = texts or NASTY
    rows = tuple(nasty_offender(text, f"N{index}") for index, text in enumerate(chosen))
    pairs = tuple(nasty_pair(text, f"N{index}") for index, text in enumerate(chosen))
    gates = tuple(
        judged(PRECISION, ">=", 0.8, Status.FAIL, name=f"precision[tags={text[:2000]}]", note=text)
        for text in chosen
    )
    return report(
        gates=gates,
        settings={"refusal": list(chosen)},
        blocks=(
            Reading("Reading", tuple(Finding(text, text, (text,)) for text in chosen)),
            Funnel("Funnel", 2, tuple(Step(text, 1, 1, (text,), text) for text in chosen), "says"),
            Offenders("Offenders", rows, len(rows)),
            *(Table(text, (text, "n"), ((text, 0.5),), text) for text in chosen),
            QuestionPairs("Broke", pairs, len(pairs), (chosen[0], chosen[-1]), regressions=True),
        ),
        marker=chosen[0],
        data={"offenders": [text[:2000] for text in chosen]},
        warnings=chosen,
        offending={"precision": tuple(row.qid for row in rows)},
        places={row.qid: (Place(row.qid[:200], 1), Place("trace.jsonl", 2)) for row in rows},
    )
