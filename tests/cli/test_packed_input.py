"""A packed file is read as the plain one is, by every command, and cannot exhaust the memory."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import gold, trace
from cli.broken_lines import LINES, TEN, Broken, problems_read
from command import INPUTS, Command, Folder, Process
from long_runs import one_of_each
from packing import zstd

from ragstone.engine.duck import Duck

PACKINGS = {"gz": gzip.compress, "zst": zstd}
HUGE = 300_000_000
TOO_LONG = "a line of more than 256 MB"
# Runs a command, and says how much memory it took.
WATCH = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""

Pack = Callable[[bytes], bytes]


@pytest.fixture(params=PACKINGS)
def ending(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_reader_says_what_is_wrong_with_a_line_in_the_same_words(
    ending: str, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.work)
    differing: list[tuple[str, list[str]]] = []
    with Duck() as duck:
        for broken in LINES:
            ((name, content),) = broken.files.items()
            folder.write(name, content)
            folder.write(f"{name}.{ending}", PACKINGS[ending](content))
            again = problems_read(duck, f"{name}.{ending}")
            if [each.replace(f".{ending}:", ":") for each in again] != problems_read(duck, name):
                differing.append((broken.name, again))
    assert differing == []


@pytest.mark.parametrize("broken", TEN, ids=lambda broken: broken.says[:60])
def test_what_is_wrong_is_said_in_the_same_words(
    broken: Broken, ending: str, command: Command, folder: Folder
) -> None:
    folder.fill()
    for name, content in broken.files.items():
        plain = folder.write(name, content).read_bytes()
        folder.write(f"{name}.{ending}", PACKINGS[ending](plain))
    words = ("score", *INPUTS, *broken.words)
    packed = [f"{word}.{ending}" if word in broken.files else word for word in words]
    said = command(*words)
    assert said.code == 2
    again = command(*packed)
    assert (again.code, again.out) == (2, b"")
    assert again.err.replace(f".{ending}:", ":") == said.err


def test_every_command_reads_text_outside_ascii(
    ending: str, command: Command, folder: Folder
) -> None:
    def packed(name: str, content: str) -> str:
        folder.write(f"{name}.{ending}", PACKINGS[ending](content.encode()))
        return f"{name}.{ending}"

    items = packed("gold", '{"qid": "文", "answerable": true, "question": "groß?\x85"}\n')
    assert command("check", items).text == f"{items}: gold, 1 line, ok\n"
    results = packed("r", 'qid\tdoc_ids\n文\t"ß\nü d"\n')
    reference = packed("q", "qid\tdocument_ids\n文\tß\n")
    assert command("context", "--results", results, "--reference", reference).code in (0, 1)
    ran = packed("run", "文 Q0 ß 1 0.5 tag\r\nb  Q0 ü 1 0.5 tag\n")
    judged = packed("qrels", "文 0 ß 1\n")
    assert command("trec", judged, ran, "--json").json["map"] == 1.0
    (folder.work / "answering.py").write_text("def answer(q): return {'answer_json': {'claim': q}}")
    asked = command("run", "--target", "py:answering:answer", "--gold", items, "-o", "t.jsonl")
    assert asked.code == 0, asked.err
    assert "groß?" in (folder.work / "t.jsonl").read_text(encoding="utf-8")


def test_blanks_and_byte_order_marks_are_passed_over(
    ending: str, command: Command, folder: Folder
) -> None:
    folder.fill()
    plain = (folder.work / "trace.jsonl").read_bytes()
    expected = command.score("--json")
    for content in (
        b"\xef\xbb\xbf" + plain,
        b"\xef\xbb\xbf\n\n" + plain.replace(b"\n", b"\r\n \n"),
        plain.replace(b", ", b",\r ").rstrip(),
    ):
        folder.write(f"t.{ending}", PACKINGS[ending](content))
        assert command("score", *INPUTS[:2], "--trace", f"t.{ending}", "--json") == expected


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"], ids=repr)
def test_an_empty_packed_trace_is_a_trace_of_nothing(
    content: bytes, ending: str, command: Command, folder: Folder
) -> None:
    folder.fill()
    folder.write(f"t.{ending}", PACKINGS[ending](content))
    ran = command("score", *INPUTS[:2], "--trace", f"t.{ending}", "--json")
    assert (ran.code, ran.json["inputs"]["lines"]) == (1, 0)
    ran = command("score", "--gold", f"t.{ending}", *INPUTS[2:])
    assert ran.err.startswith(f"t.{ending}:1: qid: the gold file holds no item\n")


def test_several_frames_and_frames_without_data_are_one_file(
    command: Command, folder: Folder
) -> None:
    folder.fill()
    expected = command.score("--json")
    one, two = (folder.work / "trace.jsonl").read_bytes().splitlines(keepends=True)
    skipped = b"\x50\x2a\x4d\x18\x02\x00\x00\x00ab"
    folder.write("t.zst", skipped + zstd(one[:9]) + skipped + zstd(b"") + zstd(one[9:] + two))
    assert command("score", *INPUTS[:2], "--trace", "t.zst", "--json") == expected


# Each size and each packing; the other pairs are for the long runs.
LONG_LINES = [(3_000_000, "gz"), (40_000_000, "zst"), (3_000_000, "zst"), (40_000_000, "gz")]


@pytest.mark.parametrize(("size", "ending"), one_of_each(LONG_LINES, lambda each: each[0]))
def test_a_long_line_is_read_or_named(
    size: int, ending: str, command: Command, folder: Folder
) -> None:
    folder.write("gold.jsonl", [gold("A1")])
    long = b'{"qid": "A1", "q": "' + b"x" * size + b'", "answer_json": {"claim": %s}}\n'
    for claim, code in ((b'"so"', 1), (b"7", 2)):
        folder.write(f"t.{ending}", PACKINGS[ending](long % claim))
        ran = command("score", "--gold", "gold.jsonl", "--trace", f"t.{ending}")
        assert ran.code == code
        if code == 2:
            said = f"t.{ending}:1: answer_json.claim: expected a string, found 7\n"
            assert ran.err.startswith(said)


def pieces(pack: str, path: Path) -> None:
    """A file of 300 MB without a line break, unpacked; of a packed one, 30 parts of 10 MB."""
    if pack == "plain":
        with path.open("wb") as file:
            file.truncate(HUGE)
    else:
        path.write_bytes(PACKINGS[pack](b"\0" * (HUGE // 30)) * 30)


@pytest.mark.parametrize(
    ("words", "pack"),
    [
        (("score", "--gold", "gold.jsonl", "--trace"), "plain"),
        (("score", "--gold", "gold.jsonl", "--trace"), "gz"),
        (("score", "--gold", "gold.jsonl", "--trace"), "zst"),
        (("check", "--as", "trace"), "plain"),
        (("context", "--reference", "q.tsv", "--results"), "plain"),
        (("trec", "qrels.txt"), "plain"),
        (("run", "--target", "py:json:dumps", "-o", "t.jsonl", "--gold"), "plain"),
    ],
    ids=lambda given: given if isinstance(given, str) else given[0],
)
def test_a_line_of_more_than_256_mb_is_refused_and_not_held(
    words: tuple[str, ...], pack: str, ragstone: Process, folder: Folder
) -> None:
    folder.write("gold.jsonl", [gold("A1")])
    folder.write("q.tsv", "qid\tdocument_ids\nA1\td1\n")
    folder.write("qrels.txt", "A1 0 d1 1\n")
    pieces(pack, folder.work / "huge")
    # A process begins with the largest size of the one that starts it, so a small one does.
    watched = subprocess.run(
        [sys.executable, "-c", WATCH, *ragstone.argv, *words, "huge"],
        capture_output=True,
        cwd=folder.work,
        env=ragstone.environment,
        check=False,
    )
    *said, used = watched.stderr.decode().splitlines()
    assert (watched.returncode, watched.stdout) == (2, b"")
    assert said[0] == f"huge:1: line: {TOO_LONG}"
    # In kilobytes on Linux, and in bytes on macOS.
    assert int(used) < (400_000 if sys.platform == "linux" else 400_000_000)


def test_a_line_that_is_too_long_hides_no_other_problem(
    command: Command, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragstone.contracts.packed.LONGEST", 5_000_000)
    folder.write("gold.jsonl", [gold("A1"), gold("A1")])
    long = b'{"qid": 7}\n{"qid": "A1", "q": "' + b"x" * 6_000_000 + b'"}\n'
    folder.write("t.jsonl", long)
    folder.write("u.jsonl", [trace("A1"), {"qid": 8}])
    ran = command("score", "--gold", "gold.jsonl", "--trace", "t.jsonl", "u.jsonl")
    assert ran.err.splitlines() == [
        'gold.jsonl:2: qid: "A1" was already given on line 1',
        "t.jsonl:1: qid: expected a string, found 7",
        f"t.jsonl:2: line: {TOO_LONG}",
        "u.jsonl:2: qid: expected a string, found 8",
        "ragstone: 4 problems in the input; nothing was scored",
    ]


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"{\n" + b" \n" * 3_000_000, "2500001: json"),
        (b'qid\tdoc_ids\nA1\td1\nA1\t"' + b"d\n" * 3_000_000, "3: columns"),
        (b'qid,doc_ids\nA1,d1\nA1,"' + b"d\n" * 3_000_000, "3: columns"),
    ],
    ids=["json", "tsv", "csv"],
)
def test_what_is_read_at_once_over_several_lines_is_bounded_too(
    content: bytes, where: str, command: Command, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragstone.contracts.packed.LONGEST", 5_000_000)
    folder.write("q.tsv", "qid\tdocument_ids\nA1\td1\n")
    folder.write("r", content)
    ran = command("context", "--results", "r", "--reference", "q.tsv")
    assert ran.code == 2
    said = f"r:{where}: more than 256 MB that must be read at once"
    assert ran.err.splitlines()[0].startswith(said)
