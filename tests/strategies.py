"""Gold sets with their traces, made to find where two scorers disagree.

`cases()` gives `(gold, traces)`: small, valid under both contracts, and full of what breaks string
handling: case pairs that grow when folded, accents in two normal forms, white space that is and is
not, ids that differ only in a byte, refusals that are nearly the token. Nothing in the pool of
constraints matches a default contradiction rule, so only the echo decides `intact`.

Hypothesis draws which questions there are and one number for each; what is asked and answered
follows from that number. A thousand cases take about a second, and a failing one still shrinks to
the fewest questions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any
from unicodedata import normalize

from hypothesis import strategies as st

Record = dict[str, Any]
Case = tuple[list[Record], list[Record]]

# Each is a substring worth finding in a claim under another case or normal form.
FRAGMENTS = (
    "rejects null keys",
    "only domain example.com",
    "ΟΔΥΣΣΕΥΣ πολύτροπος",  # final sigma: σ inside a word, ς at its end, Σ above both
    "οδυσσευς",
    "İstanbul ırmak Iğdır",  # dotted and dotless I
    "straße und STRASSE",  # sharp s folds to two letters
    "GROẞER Fluß",
    "ﬁnal ﬂow oﬃce",  # ligatures fold to their letters
    "café crème brûlée",
    "cafe\u0301 cre\u0300me",
    "A\u030angstro\u0308m \u212bngstrom",  # three spellings of Å
    "\u212a kelvin",  # the Kelvin sign folds to k
    "ǰ ΐ ΰ և",  # folding decomposes these again, after NFC
    "ᾳδης ᾼδης",
    "a\u0323\u0301bcde a\u0301\u0323bcde",  # two orders of the same marks
    "한국어 문장입니다",
    "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165",  # the same syllables in pieces
    "日本語の文章です",
    "שלום עולם",
    "مرحبا بالعالم",
    "👩\u200d👩\u200d👧 family 🙂",
    "\u0301\u0323 lone marks",
    "nul\u0000inside",
    "100\u00a0% sure",
    "tab\tand\nnewline",
    'quote " and \\ slash',
    "Ꮳꮃꭹ ꮳꮃꭹ",  # Cherokee folds upwards
    "1,577",  # digits at an end: a longer figure must not hold them
    "30 days",
    "version 2.1",
    "1 1 1",  # overlaps itself
    "１５７７０",
    "٣٠ يوما",
    "15|77",
    "東京",  # two characters that count as six, and one that counts as three
    "東",
    "서울",
    "ไทย",
    "ກີບ",
    "ភ្នំ",
    "မြန်",
    "ア1",
    "   7 京",
    "     ",
    "abcd",  # one short of what may match
    "ﬃab",  # four code points that fold to six
    "abcde",
    "",
)
# White space that str.strip removes, then characters that only look like it.
SPACES = (
    *("", " ", "\u00a0", "\u2003", "\u3000", "\t\n", "\r\n", "\x1c", "\x1f", "\x85", "\u1680"),
    *("\u2000", "\u2028", "\u2029", "\u202f", "\u205f", "\x0b\x0c", " \u00a0\u2007 "),
    *("\u200b", "\ufeff", "\u180e", "\u2060", "\u0301", "\x00"),
)
# What may stand beside a figure: some of it goes on with it, some does not.
BESIDE_FIGURES = (
    *("", " ", "2", "2,", "3.", "2 ", "0", ".5", ",000", ".", ",", "'5", "5'", "’000", "..5", "-5"),
    *("5\u00a0", "\u202f000", "\u20095", "٫٥", "٣", "１", "，０", "|", "|2", "2|", "京", "$", "%"),
    *("²", "½", "\u03015", "𝟏", "2,|", "x1", "1x"),
)
REFUSALS = ("not in context", "NOT IN CONTEXT", "Not in Context", "nOt iN cOnTeXt")
NEAR_REFUSALS = (
    *("Not in context.", "It is not in context, sorry.", '"not in context"', "not in context!"),
    *("not in contexts", "not  in context", "not in\u00a0context", "not ın context"),
    *("NOT İN CONTEXT", "not in con\u00adtext", "not in context\u0301", "not in contex"),
    *("x\nNot In Context", "ｎot in context", "n\u0303ot in context"),
)
# Compared byte for byte: most of these are one another's false friends.
IDS = (
    *("p1#1", "p1#2", "P1#1", "p1#1 ", " p1#1", "p1#1\u0000", "p1#", "pB#1"),
    *("\u00e9#1", "e\u0301#1", "ß#1", "ss#1", "日#1", "🙂#1", '"p1#1"', "null"),
)
QIDS = (
    *("A1", "a1", "A1 ", "A01", "A\u00e91", "Ae\u03011", "ß", "SS", "ς", "σ", "日本", "🙂"),
    *("A1\u0000", "\u00a0", "null", "1", '"A1"', "A'1"),
)
CONSTRAINTS = (
    *("cite the source", "Cite the source", "metric units", "réponse", "re\u0301ponse"),
    *("no-break\u00a0space", "zero\u200bwidth", " ", "nul\u0000"),
)
SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    str.lower,
    str.title,
    str.swapcase,
    str.casefold,
    lambda text: normalize("NFC", text),
    lambda text: normalize("NFD", text),
    lambda text: normalize("NFKC", text),
    lambda text: normalize("NFD", text.upper()),
    lambda text: normalize("NFC", text.lower()),
    str.strip,
)
# Extra gold fields are kept and never change a score.
EXTRAS: tuple[Record, ...] = (
    {},
    {},
    {"tags": ["billing", "café"], "notes": None},
    {"notes": {"claim": 3, "citations": "p1#1"}, "difficulty": 2},
    {"question": "Wie groß? <b>\u202e</b>"},
)
NULL_QID: Record = {"qid": None}
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def cases(draw: st.DrawFn, max_items: int = 4) -> Case:
    """A gold set with unique qids and at least one item, and its traces in any order."""
    plan = draw(
        st.lists(
            st.tuples(st.sampled_from(QIDS), SEEDS),
            min_size=1,
            max_size=max_items,
            unique_by=lambda question: question[0],
        )
    )
    items: list[Record] = []
    lines: list[Record] = []
    for qid, seed in plan:
        chance = Random(seed)
        item = gold_item(chance, qid)
        items.append(item)
        times = chance.choice((1, 1, 1, 1, 1, 1, 1, 0, 2, 3))
        lines += [trace_line(chance, item) for _ in range(times)]
    chance = Random(draw(SEEDS))
    if often(chance, 0.3):
        lines += [stray_line(chance, items) for _ in range(chance.randint(1, 2))]
    chance.shuffle(lines)
    return items, lines


def gold_item(chance: Random, qid: str) -> Record:
    """A gold item; only `qid` and `answerable` are sure to be there."""
    evidence: Record = {
        "gold_claim_substr": [
            each for each in some(chance, 3, lambda: text(chance)) if not says_what_it_means(each)
        ],
        "gold_citations": some(chance, 3, lambda: chance.choice(IDS)),
        "constraints": some(chance, 2, lambda: chance.choice(CONSTRAINTS)),
    }
    required: Record = {"qid": qid, "answerable": often(chance, 0.7)}
    return {**required, **sparse(chance, evidence), **chance.choice(EXTRAS)}


def says_what_it_means(phrase: str) -> bool:
    """Whether a phrase is short and yet no word like any other: what the engine makes of it has
    tests of its own (`test_short_phrases.py`), and the plain scorers keep the floor."""
    return len(phrase) < 5 and (phrase.strip().isupper() or any(map(str.isdecimal, phrase)))


def trace_line(chance: Random, item: Record) -> Record:
    """What a pipeline did with this item: what it should have about every other time."""
    wanted = item.get("gold_citations") or []
    retrieved = some(chance, 7, lambda: chance.choice(IDS))
    if often(chance, 0.7):
        at = chance.randint(0, len(retrieved))
        retrieved = [*retrieved[:at], *wanted, *retrieved[at:]]
    if often(chance, 0.6):
        citations = [chance.choice(wanted)] if wanted else []
    else:
        citations = some(chance, 2, lambda: chance.choice([*wanted, *retrieved, *IDS]))
    answer = {
        "claim": claim(chance, item),
        "citations": citations,
        "constraints_echo": echo(chance, item.get("constraints") or []),
    }
    body: Record = {"answer_json": sparse(chance, answer), "retrieved_ids": retrieved}
    qid = item["qid"]
    key: Record = chance.choice(
        ({"qid": qid}, {"qid": qid}, {"q_id": qid}, NULL_QID | {"q_id": qid})
    )
    return {**key, **sparse(chance, body)}


def stray_line(chance: Random, items: Sequence[Record]) -> Record:
    """A trace that no gold item owns: its qid is unknown, empty, null or not there."""
    line = trace_line(chance, chance.choice(items))
    body = {name: value for name, value in line.items() if name not in ("qid", "q_id")}
    known = {item["qid"] for item in items}
    unknown = chance.choice([qid for qid in (*QIDS, "nobody", "A1\n") if qid not in known])
    key: Record = chance.choice(({}, NULL_QID, {"qid": ""}, {"q_id": ""}, {"q_id": None}))
    return {**(key if often(chance, 0.5) else {"qid": unknown}), **body}


def claim(chance: Random, item: Record) -> str:
    """Often one of the item's substrings in disguise, or a refusal; else nearly so, or any."""
    known = item.get("gold_claim_substr") or ["rejects null keys"]
    refusal_due = 0.2 if item["answerable"] else 0.6
    if often(chance, refusal_due):
        return spelled(chance, chance.choice(REFUSALS))
    if often(chance, 0.1):
        return spelled(chance, chance.choice(NEAR_REFUSALS))
    if often(chance, 0.05):
        return chance.choice(SPACES) + chance.choice(SPACES)
    if often(chance, 0.1):
        return any_text(chance)
    found = any_text(chance) + spelled(chance, chance.choice(known)) + any_text(chance)
    if often(chance, 0.4):
        found = "".join(
            chance.choice(BESIDE_FIGURES) + chance.choice(known) + chance.choice(BESIDE_FIGURES)
            for _ in range(chance.randint(1, 3))
        )
    if often(chance, 0.02):
        return (text(chance) + " ") * chance.randint(500, 3000) + found
    return found


def echo(chance: Random, constraints: list[str]) -> list[str]:
    """The locked constraints given back: in any order and white space, or not quite."""
    given = [chance.choice(SPACES[:18]) + one + chance.choice(SPACES[:18]) for one in constraints]
    chance.shuffle(given)
    changes: tuple[Callable[[], list[str]], ...] = (
        lambda: given[1:],
        lambda: [*given, chance.choice(CONSTRAINTS)],
        lambda: [one.upper() for one in given],
        lambda: [normalize("NFD", one) for one in given],
        lambda: given + given,
    )
    return chance.choice(changes)() if often(chance, 0.4) else given


def sparse(chance: Random, record: Record) -> Record:
    """The record with, now and then, a field left out or null: both mean that it is empty."""
    kept: Record = {}
    for name, value in record.items():
        if often(chance, 0.93):
            kept[name] = value
        elif often(chance, 0.5):
            kept[name] = None
    return kept


def spelled(chance: Random, words: str) -> str:
    """The words in another case or normal form, between white space or something like it."""
    return chance.choice(SPACES) + chance.choice(SPELLINGS)(words) + chance.choice(SPACES)


def text(chance: Random) -> str:
    return chance.choice(FRAGMENTS) if often(chance, 0.85) else any_text(chance)


def any_text(chance: Random) -> str:
    """Up to eight characters from anywhere in Unicode, but for surrogates."""
    planes = ((0x20, 0x7F), (0x00, 0x250), (0x300, 0x600), (0x1E00, 0x3100), (0xE000, 0x110000))
    return "".join(
        chr(chance.randrange(*chance.choice(planes))) for _ in range(chance.randint(0, 8))
    )


def some(chance: Random, most: int, one: Callable[[], str]) -> list[str]:
    return [one() for _ in range(chance.randint(0, most))]


def often(chance: Random, share: float) -> bool:
    return chance.random() < share
