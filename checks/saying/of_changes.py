"""What `compare`, `canary` and `trend` say."""

from __future__ import annotations

import random
import re

from saying.asking import Checks, Said, case, more, ragstone, verdict
from saying.files import log_lines, named, questions, retrieval_gold, right, write, wrong
from saying.truths import MARGIN, clear, pair_ends, score_ends, to_settle


def beside_itself(n: int) -> Checks:
    write("gold.jsonl", questions(n))
    write("trace.jsonl", [right(qid) for qid in named(n)])
    text = ragstone("compare", "trace.jsonl", "trace.jsonl", "--gold", "gold.jsonl", "--no-config")
    yield from more(text, to_settle(n))


@case(3, "a run beside itself, of 48 and of 126 questions")
def itself() -> Checks:
    for n in (48, 126):
        yield from beside_itself(n)


@case(4, "a run beside itself, of 1, 12 and 100 questions")
def itself_small() -> Checks:
    for n in (1, 12, 100):
        yield from beside_itself(n)


@case(5, "a run beside itself, of 188 questions")
def itself_nearly() -> Checks:
    yield from beside_itself(188)


@case(6, "gains and losses: the smaller number, if the next questions behave like these")
def gains_and_losses() -> Checks:
    from ragstone.comparison.says import Deciding, questions_to_settle
    from ragstone.measure.paired import difference_of_means

    wrongly = tried = 0
    for n in (20, 40, 80, 160, 320, 640):
        for gains in range(0, n // 4, max(1, n // 40)):
            for losses in range(0, n // 4, max(1, n // 40)):
                pairs = [(1.0, 1.0, n - gains - losses), (0.0, 1.0, gains), (1.0, 0.0, losses)]
                seen = difference_of_means([each for each in pairs if each[2]])
                deciding = Deciding(seen, 0.95, True, MARGIN, None, True)
                fewest, _ = questions_to_settle(deciding.settled, moved=seen.moved)
                if fewest is None or fewest > 3_000 or clear(n, gains, losses):
                    continue
                tried += 1
                shares = gains / n, losses / n
                enough, short = (
                    clear(size, *(share * size for share in shares))
                    for size in (n + fewest, n + fewest - 1)
                )
                wrongly += not enough or short
    yield Said(
        f"the smaller number, in {tried} cases",
        not wrongly,
        f"fewer are enough, or more are needed, in {wrongly}",
    )


@case(8, "a shadow that becomes worse after the first proofs")
def drifts() -> Checks:

    from ragstone.serve.canary_conditions import chosen
    from ragstone.serve.canary_evidence import Plan, Verdict, Watched

    for seed in range(8):
        chance = random.Random(seed)
        watched, total = Watched(Plan(chosen(()))), 0.0
        for number in range(3_000):
            drop = number > 200 and chance.random() < 0.10
            total -= drop
            watched.add(
                {
                    "coverage": -1.0 if drop else 0.0,
                    "citation_accuracy": 1.0 if chance.random() < 0.99 else 0.0,
                    "delta_s_median": 1.0 if chance.random() < 0.8 else 0.0,
                    "recall": 0.0,
                    "flips": 0.0,
                }
            )
            if watched.decision.verdict is not Verdict.HOLD:
                break
        mean = total / (number + 1)
        promoted = watched.decision.verdict is Verdict.PROMOTE
        yield Said(
            f"{watched.decision.verdict.value} after {number + 1} questions",
            not promoted or mean >= -MARGIN,
            f"coverage changed by {mean:.4f}, the line is -0.02",
        )


def compared(n: int, lost: int, gained: int, *words: str) -> str:
    qids = named(n)
    write("gold.jsonl", questions(n))
    write("a.jsonl", [wrong(q) if i < gained else right(q) for i, q in enumerate(qids)])
    write("b.jsonl", [wrong(q) if i >= n - lost else right(q) for i, q in enumerate(qids)])
    return ragstone("compare", "a.jsonl", "b.jsonl", "--gold", "gold.jsonl", "--no-config", *words)


def sides(text: str, n: int, lost: int, gained: int) -> Said:
    """The verdict of a comparison agrees with the interval of pairs."""
    low, high = pair_ends(n, gained, lost)
    word = "BETTER" if low > 0 else "WORSE" if high < 0 else "CANNOT TELL"
    if low > -MARGIN and word != "BETTER":
        word = "NOT WORSE"
    last = verdict(text)
    fits = not re.match("BETTER|WORSE|NOT WORSE|SHIP", last) or last.startswith(word)
    return Said(last, fits, f"the change is from {low:.3f} to {high:.3f}: {word}")


@case(26, "a comparison of 3 questions, one of them mended")
def one_mended() -> Checks:
    yield sides(compared(3, 0, 1), 3, 0, 1)


@case(27, "4 and 8 of 100 questions lost, where 0.02 may be")
def some_lost() -> Checks:
    for lost in (4, 8):
        text = compared(100, lost, 0, "--max-regression", "precision=0.02")
        high = pair_ends(100, 0, lost)[1]
        says = "not proven to fail" not in text and "proven to fail" in text
        yield Said(verdict(text), says == (high < -MARGIN), f"the change is at most {high:.4f}")


@case(28, "six broke, six were mended")
def as_many() -> Checks:
    yield sides(compared(60, 6, 6), 60, 6, 6)


def canary(n: int) -> str:
    write("gold.jsonl", retrieval_gold(n, own=True))
    for name in ("live", "shadow"):
        lines = log_lines(n, ("x",))
        for number, line in enumerate(lines):
            line["topk"] = line["answer_citations"] = [{"id": f"d{number}"}]
        write(f"{name}.jsonl", lines)
    words = ("--live", "live.jsonl", "--shadow", "shadow.jsonl", "--no-config")
    return ragstone("canary", "--gold", "gold.jsonl", *words)


@case(29, "a canary of one question")
def canary_of_one() -> Checks:
    last = verdict(canary(1))
    claimed = re.search(r"[1-9]\d* (?:of \d+ gates? )?proven", last)
    yield Said(last, claimed is None, "one question proves nothing")


@case(30, "a canary of two logs of one index")
def canary_of_itself() -> Checks:
    text = canary(40)
    yield Said(verdict(text), "index_hash" in text, "both logs are of the same index")


@case(31, "a watched canary of 120 questions")
def watched() -> Checks:
    from ragstone.measure.more_questions import more_questions
    from ragstone.serve.canary_conditions import chosen
    from ragstone.serve.canary_evidence import Plan, Watched
    from ragstone.serve.canary_outlook import more_needed, outlook

    good = {"citation_accuracy": 1.0, "delta_s_median": 1.0, "recall": 0.0, "flips": 0.0}
    test = Watched(Plan(chosen(())))
    for number in range(120):
        test.add({**good, "coverage": -1.0 if number % 60 == 59 else 0.0})
    said = more_questions(*more_needed(outlook(test)))
    range_or_end = re.search(r"[\d,]+ to [\d,]+|at least", said)
    yield Said(said, range_or_end is not None, "one number would promise what nobody knows")


@case(32, "a trend of 10, 9, 11 and 8 wrong answers of 57")
def trend() -> Checks:
    write("gold.jsonl", questions(57))
    for count in (10, 9, 11, 8):
        write(
            "trace.jsonl",
            [wrong(qid) if i < count else right(qid) for i, qid in enumerate(named(57))],
        )
        files = ("--gold", "gold.jsonl", "--trace", "trace.jsonl", "--no-config")
        ragstone("score", *files, "--record")
    text = ragstone("trend", "precision", "--no-config")
    said = re.search(r"[▁▂▃▄▅▆▇█].*", text)
    shown = {*re.findall("[▁▂▃▄▅▆▇█]", text)}
    apart = max(map("▁▂▃▄▅▆▇█".index, shown), default=0) - min(
        map("▁▂▃▄▅▆▇█".index, shown), default=0
    )
    low, high = score_ends(49, 57)
    yield Said(
        (said[0] if said else text)[:120],
        apart <= 4 and f"{low:.2f}" in text,
        f"the newest is from {low:.4f} to {high:.4f}: nothing moved",
    )
