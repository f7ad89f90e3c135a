"""Broken runs: files, flags and configurations that cannot be."""

from __future__ import annotations

import gzip

from builders import gold, trace
from cli.broken_lines import Broken, line


def config(says: str, text: str) -> Broken:
    return Broken(
        f"toml {text}", f"ragstone: ragstone.toml{says}", {"ragstone.toml": text.encode()}
    )


def words(says: str, *given: str) -> Broken:
    return Broken(" ".join(given)[:60], f"ragstone: {says}", words=given)


def packed(name: str, says: str, content: bytes) -> Broken:
    return Broken(f"{name}: {says}", f"ragstone: {says}", {name: content}, ["--trace", name])


ONE, TWO = line(gold("A1")) + b"\n", line(gold("A2")) + b"\n"
GZIP = gzip.compress(line(trace("A1")) * 100)
NOT_ZSTD = b"\x28\xb5\x2f\xfd" + b"garbage " * 20

FILES = (
    Broken(
        "a qid twice",
        'gold.jsonl:3: qid: "A1" was already given on line 1',
        {"gold.jsonl": ONE + TWO + ONE},
    ),
    Broken(
        "a qid in two files",
        'two.jsonl:1: qid: "A1" was already given on one.jsonl:1',
        {"one.jsonl": ONE, "two.jsonl": ONE},
        ["--gold", "[ot][nw]*.jsonl"],
    ),
    Broken(
        "a second trace under --keep error",
        'trace.jsonl:2: qid: "A1" already has a trace on line 1',
        {"trace.jsonl": (line(trace("A1")) + b"\n") * 2},
        ["--keep", "error"],
    ),
    Broken(
        "a second trace of the older shape under --keep error",
        'trace.jsonl:2: qid: "A1" already has a trace on line 1',
        {
            "trace.jsonl": line(trace("A1"))
            + b"\n"
            + line({"q": gold("A1")["question"], "answer": "no"})
        },
        ["--keep", "error"],
    ),
    Broken(
        "an empty gold file", "gold.jsonl:1: qid: the gold file holds no item", {"gold.jsonl": b""}
    ),
    Broken(
        "a gold file of blank lines",
        "gold.jsonl:1: qid: the gold file holds no item",
        {"gold.jsonl": b"\n \n"},
    ),
    words("gold file nope.jsonl does not exist", "--gold", "nope.jsonl"),
    words("trace file nope.jsonl does not exist", "--trace", "nope.jsonl"),
    Broken(
        "a folder that holds nothing to read",
        "ragstone: gold folder d holds no file of a kind that can be read (.jsonl, .ndjson, .json,",
        {"d/notes.txt": b"nothing"},
        ["--gold", "d"],
    ),
    words("no trace file matches runs/*.jsonl", "--trace", "runs/*.jsonl"),
    words("the name of the gold file is empty", "--gold", ""),
    words("gold file xxx", "--gold", "x" * 5000),
    words(
        "gold https://127.0.0.1:9/gold.jsonl cannot be fetched: Cannot connect to host",
        "--gold",
        "https://127.0.0.1:9/gold.jsonl",
    ),
    words("standard input (-) can be given only once", "--gold", "-", "--trace", "-"),
    words("standard input (-) can be given only once", "--trace", "-", "-"),
    packed("t.gz", "trace file t.gz is damaged: it ends too early", GZIP[:-30]),
    packed("t.gz", "trace file t.gz is damaged: it ends too early", GZIP[:-8]),
    packed(
        "t.gz", "trace file t.gz is damaged: it does not unpack: incorrect", GZIP[:-8] + bytes(8)
    ),
    packed("t.gz", "trace file t.gz is damaged: it does not unpack", b"\x1f\x8b" + b"garbage " * 5),
    packed("t.zst", "trace file t.zst is damaged: it ", NOT_ZSTD),
    packed("t.parquet", "t.parquet is a damaged Parquet file: ", b"PAR1" + b"garbage " * 5),
    packed(
        "t.parquet",
        "t.parquet is a damaged Parquet file: ",
        b"PAR1" + b"garbage " * 5 + b"PAR1",
    ),
)

FLAGS = (
    words("there is no metric 'precison'; did you mean 'precision'?", "--gates", "precison=0.8"),
    words("gate precision: expected a number such as 0.80", "--gates", "precision=high"),
    words("gate precision: expected a number such as 0.80", "--gates", "precision=nan"),
    words("gate precision: expected a number such as 0.80", "--gates", "precision=inf"),
    words("gate precision: expected a number such as 0.80", "--gates", "chr=0.7,precision>==0.8"),
    words("gate precision: expected a number such as 0.80", "--gates", "precision=1_0"),
    words("gate 'precision': expected NAME=NUMBER", "--gates", "precision"),
    words("gate 'precision=': expected NAME=NUMBER", "--gates", "precision="),
    words("gate recall@7 asks for k = 7, but k is 5", "--gates", "recall@7=0.5"),
    words("--gates: expected at least one argument", "--gates"),
    words("k: expected a whole number from 1 to 1,000,000, found 0", "--k", "0"),
    words("k: expected a whole number from 1 to 1,000,000, found -1", "--k", "-1"),
    words("--k: expected a whole number, found 'x'", "--k", "x"),
    words(
        "confidence: expected a number from 0.5 to below 0.999999, found 95.0", "--confidence", "95"
    ),
    words(
        "confidence: expected a number from 0.5 to below 0.999999, found 0.9999999999999999",
        "--confidence",
        "0.9999999999999999",
    ),
    words(
        "confidence: expected a number from 0.5 to below 0.999999, found 1.0", "--confidence", "1"
    ),
    words("--confidence: expected a number, found 'nan'", "--confidence", "nan"),
    words(
        "--confidence: expected a number from -1e15 to 1e15, found '1e999'", "--confidence", "1e999"
    ),
    words("--k: expected a whole number, found '1_0'", "--k", "1_0"),
    words("--k: expected a whole number, found '٣'", "--k", "٣"),
    words("--k: expected a whole number from -1e15 to 1e15, found '9999", "--k", "9" * 5000),
    words("gate precision: expected a number such as 0.80", "--gates", "precision=1e999"),
    words("gate precision: expected a number such as 0.80", "--gates", "precision=٣"),
    words("gate precision: expected a number from -1e15 to 1e15", "--gates", "precision=1e300"),
    words("gate precision: expected a number such as 0.80", "--gates", "precision=>=>0.8"),
    words("there is no metric 'recall@9999", "--gates", f"recall@{'9' * 5000}=0.5"),
    words("--confidence: expected a number, found 'high'", "--confidence", "high"),
    words("--map 'claim': expected FIELD=PATH", "--map", "claim"),
    words("--map claimm: no input has this field; did you mean 'claim'?", "--map", "claimm=text"),
    words("--map gold.claim: no input has this field", "--map", "gold.claim=text"),
    words("--map claim: expected a path such as answer.text", "--map", "claim=answer..text"),
    words("by tagz: no gold item has this field", "--by", "tagz"),
    words("--keep: invalid choice: 'newest'", "--keep", "newest"),
    words("--missing: invalid choice: 'skip'", "--missing", "skip"),
    words("--threads: expected a whole number from 1 to 1024, found '0'", "--threads", "0"),
    words("--threads: expected a whole number from 1 to 1024", "--threads", "1000000"),
    words("there is no format 'pdf'; known: terminal, json", "-f", "pdf"),
    words("--json and -f html cannot be given together", "--json", "-f", "html"),
    words("none/r.html: the folder none does not exist", "-o", "none/r.html"),
    words("gold.jsonl/r.html: the folder gold.jsonl does not exist", "-o", "gold.jsonl/r.html"),
    words("report.pdf: no format is known for this extension", "-o", "report.pdf"),
    words("report: no format is known for this extension", "-o", "report"),
    words("-o: the file name is empty", "-o", ""),
    words("'--golden' is not understood; did you mean '--gold'?", "--golden", "gold.jsonl"),
    words("'--trac' is not understood; did you mean '--trace'?", "--trac", "trace.jsonl"),
    words("'gold.jsonl' is not understood", "--strict", "gold.jsonl"),
    words("none.toml does not exist", "--config", "none.toml"),
    words(". cannot be read: Is a directory", "--config", "."),
    Broken("-o a folder", "ragstone: d.html is a folder", {"d.html/file": b""}, ["-o", "d.html"]),
    Broken(
        "-o the gold set",
        "ragstone: -o gold.json would replace an input",
        {"gold.json": ONE},
        ["--gold", "gold.json", "-o", "gold.json"],
    ),
)

CONFIGS = (
    config(": unknown key answer; did you mean 'answers'?", "[answer]\nk = 5"),
    config(": unknown key answers.kk; did you mean 'k'?", "[answers]\nkk = 5"),
    config(": unknown key paths.glod; did you mean 'gold'?", "[paths]\nglod = 'x'"),
    config(": unknown key version; known: paths, map", "version = 1"),
    config(": unknown key answers.slices[0].x", "[[answers.slices]]\nx = 1"),
    config(
        ": answers.k: expected a whole number from 1 to 1,000,000, found '5'", "[answers]\nk = '5'"
    ),
    config(
        ": answers.k: expected a whole number from 1 to 1,000,000, found True",
        "[answers]\nk = true",
    ),
    config(": answers.k: expected a whole number from 1 to 1,000,000", "[answers]\nk = 0"),
    config(": answers.k: expected a whole number from 1 to 1,000,000", "[answers]\nk = 1000001"),
    config(": answers.k: expected a whole number from 1 to", "[answers]\nk = 1979-05-27"),
    config(": answers.k: a whole number has at most 64 bits", f"[answers]\nk = {'9' * 400}"),
    config(" is not valid TOML: a number is too long", f"[answers]\nk = {'9' * 5000}"),
    config(": answers.k: a whole number has at most 64 bits", f"[answers]\nk = 0x{'f' * 5000}"),
    config(": map.claim[0]: a whole number has at most", f"[map]\nclaim = [{'9' * 400}]"),
    config(": gate precision: expected a number from -1e15", "[answers.gates]\nprecision = 1e300"),
    config(": gate precision: expected a number from -1e15", "[answers.gates]\nprecision = inf"),
    config(": answers.gates.precision: expected a", "[answers.gates]\nprecision = 1979-05-27"),
    config(": answers.missing: there is no 'skip'", "[answers]\nmissing = 'skip'"),
    config(": answers.keep: expected a string, found 1", "[answers]\nkeep = 1"),
    config(": answers.scu: expected true or false, found 1", "[answers]\nscu = 1"),
    config(": answers.refusal: expected a list, found 'no'", "[answers]\nrefusal = 'no'"),
    config(": refusal: expected at least one token", "[answers]\nrefusal = []"),
    config(": answers.refusal: expected a string that is not", "[answers]\nrefusal = ['']"),
    config(
        ": refusal: a token has 10,001 characters; 10,000 are allowed",
        f"[answers]\nrefusal = ['no', '{'x' * 10_001}']",
    ),
    config(": there is no metric 'precison'; did you", "[answers.gates]\nprecison = 0.8"),
    config(": gate precision: expected a number", "[answers.gates]\nprecision = 'high'"),
    config(": gate precision: expected a number", "[answers.gates]\nprecision = nan"),
    config(": answers.gates.precision: expected a number", "[answers.gates]\nprecision = [0.8]"),
    config(": answers.gates: expected a table, found 5", "[answers]\ngates = 5"),
    config(": answers.slices[0]: expected both", "[[answers.slices]]\nwhere = {tags = 'a'}"),
    config(
        ": answers.slices[0].where.level: expected a number from -1e15 to 1e15, found inf",
        "[[answers.slices]]\nwhere = {level = inf}\ngates = {precision = 1}",
    ),
    config(
        ": answers.slices[0].where.tags: expected a string, number or boolean",
        "[[answers.slices]]\nwhere = {tags = ['a']}\ngates = {precision = 1}",
    ),
    config(
        ": there is no metric 'precison'; did you mean 'precision'?",
        "[[answers.slices]]\nwhere = {tags = 'a'}\ngates = {precison = 1}",
    ),
    config(
        ": scu.rules[0].locked: '(' is not a regular expression",
        "[[scu.rules]]\nlocked = '('\ncontradicts = 'x'",
    ),
    config(
        ": scu.rules[0].contradicts: {thing} names no group of locked",
        "[[scu.rules]]\nlocked = '(?P<object>.+)'\ncontradicts = '{thing}'",
    ),
    config(": scu.rules[0].contradicts: expected a string", "[[scu.rules]]\nlocked = 'x'"),
    config(": paths.gold: expected a string, found ['a']", "[paths]\ngold = ['a']"),
    config(": paths.trace: expected a list of strings", "[paths]\ntrace = 1"),
    config(": map.claimm: no input has this field; did", "[map]\nclaimm = 'x'"),
    config(": map.claim: expected a string that is not empty", "[map]\nclaim = ''"),
    config(": map.claim: expected a string, found 1, which is a constant", "[map]\nclaim = 1"),
    config(": map.claim: expected a number from", "[map]\nclaim = inf"),
    config(": read.ids: there is no 'texts'; did you mean 'text'?", "[read]\nids = 'texts'"),
    config(": unknown key read.id; did you mean 'ids'?", "[read]\nid = 'text'"),
    config(" is not valid TOML: ", "not toml"),
    config(" is not valid TOML: ", "[answers]\nk = 5\nk = 6"),
    Broken(
        "toml in UTF-16", "ragstone: ragstone.toml is not UTF-8", {"ragstone.toml": b"\xff\xfek\0"}
    ),
)
