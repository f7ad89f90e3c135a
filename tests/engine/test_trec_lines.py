"""TREC files mean the same to the engine's fast readers and to the lines split in Python."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import ragstone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from long_runs import examples

from ragstone.contracts.sources import find
from ragstone.engine import trec_lines
from ragstone.engine.duck import Duck
from ragstone.engine.trec_lines import Kind, TrecFile, must_be_good, with_views
from ragstone.errors import ContractError

PARTS = [b"1", b"Q0", b"d1", b"2", b"0.5", b"-3", b"tag", b"\xe6\x96\x87", b" ", b" ", b" ", b"\t"]
PARTS += [b"\n", b"\n", b"\r\n", b"\r", b"\0", b"\1", b"\v", b"\f", b"\xef\xbb\xbf", b"\xff", b'"']
LINES = {
    "run": [b"1 Q0 d1 1 0.5 tag\n", b"2 Q0 d1 2 1e39 t\n", b"1 Q0 d2 3 -1 tag\r\n"],
    "qrels": [b"1 0 d1 1\n", b"2 0 d1 -2\n", b"2 0 d2 +3\r\n"],
    "beir": [b"query-id\tcorpus-id\tscore\n", b"1\td1\t1\n", b"2\td1\t0\n"],
}
ENDS = ("\n", "\r\n", "\r", "\r\r\n", "\n\n")
RETURN = "columns: a carriage return in the middle of the line; lines end with \\n or \\r\\n"
# What Python takes for a number and the engine does not, or the other way round.
ODD = ["١", "²", "1_000", "+1", "-+1", "+-1", "--1", "1.0", "0x1", "", "9" * 400, "9" * 5000, "1e5"]
ODD += [
    "2147483647",
    "2147483648",
    "-2147483648",
    "nan",
    "inf",
    "½",
    "१२",
    "\u20031",
    "1\x1c",
    "-0",
]


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as opened:
        yield opened


def rows(duck: Duck, kind: Kind, path: Path) -> list[tuple[object, ...]] | list[str]:
    """What a file holds, or what is wrong with it."""
    (source,) = find(path, "x", duck.scratch)
    file = TrecFile(source, kind, "view_of_it")
    value = "score" if kind == "run" else "grade"
    sql = f"select qid, doc, {value} from view_of_it order by all"
    wrong: list[str] = []

    def check() -> None:
        try:
            must_be_good((file,))
        except ContractError as error:
            # A document that is judged twice is found in the rows.
            wrong.extend(str(found) for found in error.diagnostics if found.field != "doc")
            if wrong:
                raise

    try:
        return with_views(duck, (file,), lambda: duck.query(sql), check)
    except ContractError:
        return wrong


@settings(
    max_examples=examples(20, long=500),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(kind=st.sampled_from(list(LINES)), odd=st.lists(st.sampled_from(PARTS), max_size=8),
       at=st.integers(0, 40))  # fmt: skip
@example(kind="run", odd=[b"tag\r2 Q0 d1 1 5 tag"], at=16)
@example(kind="qrels", odd=["١".encode()], at=7)
@example(kind="run", odd=[b"\0" * 3_000_000], at=0)
@example(kind="run", odd=[b"x" * 3_000_000], at=0)
def test_every_way_of_reading_gives_the_same_rows(
    kind: Kind, odd: list[bytes], at: int, duck: Duck, tmp_path: Path
) -> None:
    content = b"".join(LINES[kind])
    path = tmp_path / "file"
    path.write_bytes(content[:at] + b"".join(odd) + content[at:])
    found = rows(duck, kind, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec_lines, "_is_odd", lambda source: True)
        assert rows(duck, kind, path) == found


@pytest.mark.parametrize("ends", [*itertools.product(ENDS, repeat=3)], ids=repr)
def test_a_line_ends_with_a_line_feed(ends: tuple[str, ...], duck: Duck, tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    text = "".join(f"{number} 0 d {number}{end}" for number, end in enumerate(ends))
    path.write_bytes(text.encode())
    lines = text.split("\n")
    bad = [f"{path}:{n}: {RETURN}" for n, line in enumerate(lines, 1) if "\r" in line.strip("\r")]
    expected = [(str(number), "d", number) for number in range(3)]
    assert rows(duck, "qrels", path) == (bad or expected)


@pytest.mark.parametrize("blank", [" ", "  "])
@pytest.mark.parametrize("word", ODD, ids=lambda word: word[:12])
def test_an_odd_grade_is_a_whole_number_or_named(
    word: str, blank: str, duck: Duck, tmp_path: Path
) -> None:
    path = tmp_path / "qrels"
    path.write_text(f"1 0 a 1\n1 0{blank}b {word}\n", encoding="utf-8")
    good = {"+1": 1, "-0": 0, "2147483647": 2**31 - 1, "-2147483648": -(2**31)}
    found = rows(duck, "qrels", path)
    if word in good:
        assert found == [("1", "a", 1), ("1", "b", good[word])]
    else:
        (line,) = found
        assert str(line).startswith(
            (f"{path}:2: grade: expected a whole number", f"{path}:2: columns: ")
        )


def test_random_lines_are_read_or_named(duck: Duck, tmp_path: Path) -> None:
    chance = random.Random(11)
    path = tmp_path / "run"
    pieces = [
        *ODD,
        " ",
        "  ",
        "\t",
        "\r",
        "\v",
        "\0",
        "\x01",
        '"',
        "'",
        ",",
        "#",
        "\ufeff",
        "q",
        "d",
    ]
    for _ in range(300):
        lines = [f"{n} Q0 d{n} 1 0.5 tag" for n in range(4)]
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(4)
            words = lines[at].split(" ")
            words[chance.randrange(len(words))] = chance.choice(pieces)
            lines[at] = chance.choice((" ", " ", "\t", "  ")).join(words)
        path.write_bytes(chance.choice(("\n", "\r\n")).join(lines).encode())
        found = rows(duck, "run", path)
        assert len(found) <= 4 or all(isinstance(each, str) for each in found)


def test_both_suites_name_the_line(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes("1 0 d ١\n".encode())
    (tmp_path / "run").write_bytes(b"1 Q0 d 1 5 t\n2 Q0 d 1\r 5 t\n")
    for words in (
        ["trec", "qrels", "run"],
        ["context", "--reference", "qrels", "--results", "run"],
    ):
        ran = ragstone(*words, cwd=tmp_path)
        assert (ran.code, ran.out) == (2, b"")
        assert 'qrels:1: grade: expected a whole number, found "١" (qid "1")' in ran.err
    (tmp_path / "qrels").write_bytes(b"1 0 d 1\n")
    for words in (
        ["trec", "qrels", "run"],
        ["context", "--reference", "qrels", "--results", "run"],
    ):
        assert f"run:2: {RETURN}" in ragstone(*words, cwd=tmp_path).err
