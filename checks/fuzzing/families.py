"""The families of cases: one for every command and action, and one for every record.

A case's family is a matter of its number, so that a short run meets them all.
"""

from __future__ import annotations

import json
from random import Random

from fuzzing.asking import asking, index, replies, run
from fuzzing.cases import (
    JUDGED,
    Case,
    File,
    Make,
    broken_file,
    broken_text,
    changed_rows,
    more_flags,
    one_broken,
    plain_file,
    unpacked_file,
)
from fuzzing.command_lines import flags, parsers
from fuzzing.good_inputs import (
    BEIR_QRELS,
    CONFIG,
    DOCS,
    LIVERAG,
    PAIRS,
    PROMPT,
    ROWS,
    SERVE,
    TREC_QRELS,
    TREC_RUN,
    a_ledger,
    jsonl,
    made_by_ragstone,
    rows,
    table,
)
from fuzzing.strict_reader import read_rows


def _check(record: str) -> Make:
    """`check` of one file; for gold and traces it must say what the strict reader says."""

    def make(chance: Random) -> Case:
        file = broken_file(chance, record)
        piped = chance.random() < 0.05
        name, given = ("<stdin>", "-") if piped else (file.name, file.name)
        return Case(
            f"check {record}",
            ("check", "--as", record, "--all-errors", given),
            {} if piped else {file.name: file.data},
            file.data if piped else b"",
            {} if file.verdict is None else {name: file.verdict},
            {name: file.not_json},
        )

    return make


def _check_unsaid(chance: Random) -> Case:
    """`check` that must find out by itself what the files are."""
    file = broken_file(chance, chance.choice(tuple(ROWS)))
    words = ["check", file.name, *more_flags(chance, "check")]
    return Case("check", tuple(words), {file.name: file.data})


def _score(chance: Random) -> Case:
    """Gold and traces, one of them broken: the same lines must be refused as the reader refuses."""
    gold = broken_file(chance, "gold", chance.random() < 0.6)
    trace = broken_file(chance, "trace", chance.random() < 0.6)
    words = ["score", "--gold", gold.name, "--trace", trace.name, "--all-errors", "--no-config"]
    words += chance.choice(
        ([], ["--json"], ["-o", "out.html"], ["-o", "out.parquet", "-f", "github"])
    )
    expected = {file.name: file.verdict for file in (gold, trace) if file.verdict is not None}
    return Case("score", tuple(words), _named(gold, trace), expected=expected)


def _named(*files: File) -> dict[str, bytes]:
    return {file.name: file.data for file in files}


def _suite(command: str, **records: str) -> Make:
    """The command of a suite: one input broken, or none and odd flags."""

    def make(chance: Random) -> Case:
        files, names, broken = one_broken(chance, records, plain_file)
        words = [*command.split(), "--all-errors"]
        words += [word for given, name in names.items() for word in (f"--{given}", name)]
        at_least = {names_of(broken, names): broken.not_json} if broken else {}
        return Case(command, (*words, *more_flags(chance, command)), files, at_least=at_least)

    return make


def names_of(broken: File, names: dict[str, str]) -> str:
    return next(name for name in names.values() if name.endswith(broken.name))


def _agreement(chance: Random) -> Case:
    records = chance.choice(
        (
            {"pairs": "pairs"},
            {"scholar": "labels", "auditor": "labels"},
            {"gold": "gold", "trace": "trace"},
            {"raters": "labels"},
            {"gold": "gold", "trace": "trace", "labels": "people"},
        )
    )
    return _suite("agreement", **records)(chance)


_FOUND, _WANTED = (rows(Random(0), name, 3) for name in ("results", "reference"))
_RESULTS = (
    *(jsonl(_FOUND), table(_FOUND, "\t"), table(_FOUND, ","), json.dumps(_FOUND).encode()),
    *(LIVERAG, TREC_RUN),
)
_REFERENCES = (jsonl(_WANTED), table(_WANTED, "\t"), TREC_QRELS, BEIR_QRELS)


def _context(chance: Random) -> Case:
    """Results and references as lines, tables, LiveRAG answers, TREC; one of them broken."""
    if chance.random() < 0.3:
        return _suite("context", results="results", reference="reference")(chance)
    results, reference = chance.choice(_RESULTS), chance.choice(_REFERENCES)
    if chance.random() < 0.5:
        results = broken_text(chance, results)
    else:
        reference = broken_text(chance, reference)
    words = ["context", "--results", "results", "--reference", "reference"]
    words += chance.choice(([], ["-o", "eval/"], ["-o", "out.html"]))
    return Case(
        "context",
        (*words, *more_flags(chance, "context")),
        {"results": results, "reference": reference},
    )


def _trec(chance: Random) -> Case:
    qrels, run = chance.choice((TREC_QRELS, BEIR_QRELS)), TREC_RUN
    for _ in range(chance.choice((0, 1, 1, 2))):
        if chance.random() < 0.5:
            qrels = broken_text(chance, qrels)
        else:
            run = broken_text(chance, run)
    words = ["trec", "qrels", "run", *chance.choice(([], ["other"]))]
    words += chance.choice(([], ["--trec"], ["--trec", "-q"], ["-m", "ndcg@10", "map"]))
    files = {"qrels": qrels, "run": run, "other": TREC_RUN}
    return Case("trec", (*words, *more_flags(chance, "trec")), files)


def _gate(chance: Random) -> Case:
    records = (
        "gold",
        "trace",
        "retrieval_gold",
        "retrieval_log",
        "manifest",
        "results",
        "reference",
    )
    files = {
        f"{record}.jsonl": plain_file(record) for record in (*records, "sample", "pairs", "run")
    }
    config = CONFIG
    for _ in range(chance.choice((0, 1, 1, 2, 3))):
        config = broken_text(chance, config)
    words = ["gate", *chance.choice(([], ["-o", "out.html"], ["--json"]))]
    return Case("gate", (*words, *more_flags(chance, "gate")), {**files, "ragstone.toml": config})


_JUDGE = b"""\
[judge.faithfulness]
model = "m"
prompt = "prompt.md"
calibration = "judge.json"
kappa = 0.6
threshold = 0.5
better = "higher"
"""
_PROMPT = {"prompt.md": PROMPT}


def _calibrate_judge(chance: Random) -> Case:
    """Traces, side scores or labels broken, with a table of the judge in the file or without."""
    records = {"trace": "trace", "labels": "judge_labels", "judged": "judged"}
    files, names, _ = one_broken(chance, records, plain_file)
    words = ["calibrate-judge", "--all-errors", "-o", chance.choice(("made.json", "made/x.json"))]
    words += ["--score", chance.choice(("faithfulness", "tone:polite", "relevance", "x", ""))]
    words += chance.choice((["--model", "m", "--prompt", "prompt.md"], ["--model", "m"]))
    words += [word for given, name in names.items() for word in (f"--{given}", name)]
    broken = chance.random() < 0.2
    files |= _PROMPT | {"ragstone.toml": broken_text(chance, _JUDGE) if broken else _JUDGE}
    return Case("calibrate-judge", (*words, *more_flags(chance, "calibrate-judge")), files)


def _judge_gate(chance: Random) -> Case:
    """A gate on a judge's score, with a calibration that somebody has changed."""
    files = {"trace.jsonl": plain_file("trace"), **_PROMPT}
    config = broken_text(chance, _JUDGE) if chance.random() < 0.3 else _JUDGE
    files |= {"ragstone.toml": config, "judge.json": made_by_ragstone()["judge.json"]}
    files["judge.json"] = broken_text(chance, files["judge.json"])
    words = ("audit", "--trace", "trace.jsonl", "--gates", "judge.faithfulness=0.5")
    return Case("judge's calibration", (*words, *more_flags(chance, "audit")), files)


def _compare(chance: Random) -> Case:
    """Rows or a report beside rows or traces, one of them broken, with questions to protect."""
    made = made_by_ragstone()
    files = {name: made[name] for name in ("gold.jsonl", "saved.json", "saved.parquet")}
    files |= {"trace.jsonl": plain_file("trace"), "protect.txt": b"A0\nA1\n"}
    a, b = (chance.choice(("saved.parquet", "saved.json", "trace.jsonl")) for _ in range(2))
    name = chance.choice(tuple(files))
    if chance.random() < 0.7:
        files[name] = broken_text(chance, files[name])
    words = ["compare", a, b, "--gold", "gold.jsonl"]
    words += chance.choice(([], ["--protect", "@protect.txt"], ["--max-regression", "precision=0"]))
    words += chance.choice(([], ["--json"], ["-o", "out.html"], ["-f", "markdown"]))
    return Case("compare", (*words, *more_flags(chance, "compare")), files)


def _ledger(command: str, *more: str) -> Make:
    """A command over a ledger in which one file is broken, and a word that may name a run."""

    def make(chance: Random) -> Case:
        digest, good = a_ledger()
        files = dict(good)
        name = chance.choice(tuple(files))
        if chance.random() < 0.8:
            files[name] = broken_text(chance, files[name])
        run = chance.choice(
            (digest, digest[:8], "main", "last", f".ragstone/runs/{digest}", "x", "")
        )
        given = () if command in ("runs", "runs prune", "trend") else (run,)
        words = (*command.split(), *given, *more, *more_flags(chance, command))
        return Case(command, words, files)

    return make


def _gold_lint(chance: Random) -> Case:
    file = broken_file(chance, chance.choice(("gold", "gold", "retrieval_gold")))
    other = broken_file(chance, "trace", chance.random() < 0.3)
    texts = broken_file(chance, "texts", chance.random() < 0.3)
    words = ["gold", "lint", file.name, *chance.choice(([], ["--trace", other.name]))]
    words += chance.choice(([], ["--texts", texts.name], ["--docs", "docs"]))
    files = {**DOCS, **_named(file, other, texts)}
    return Case("gold lint", (*words, *more_flags(chance, "gold lint")), files)


def _gold_check(chance: Random) -> Case:
    """Gold of either kind beside documents, a manifest or traces, any of them broken."""
    file = broken_file(chance, chance.choice(("gold", "retrieval_gold")), chance.random() < 0.5)
    manifest = broken_file(chance, "manifest", chance.random() < 0.5)
    trace = broken_file(chance, "trace", chance.random() < 0.5)
    files = {**DOCS, **_named(file, manifest, trace)}
    name = chance.choice(tuple(DOCS))
    if chance.random() < 0.3:
        files[name] = broken_text(chance, files[name])
    given = (["--docs", "docs"], ["--manifest", manifest.name], ["--trace", trace.name], [])
    words = ["gold", "check", file.name, *chance.choice(given), *chance.choice(given)]
    return Case("gold check", (*words, *more_flags(chance, "gold check")), files)


def _gold_new(chance: Random) -> Case:
    files = dict(DOCS)
    name = chance.choice(tuple(files))
    files[name] = broken_text(chance, files[name])
    files["gold.jsonl"] = broken_text(chance, plain_file("gold"))
    how = chance.choice((["--list"], ["--yes"], ["--accept", "x"], []))
    words = (
        "gold",
        "new",
        "--docs",
        "docs",
        "-o",
        "gold.jsonl",
        *how,
        *more_flags(chance, "gold new"),
    )
    return Case(
        "gold new", words, files, stdin=chance.choice((b"", b"a\n", b"y\nn\ne\n", b"\xff\n"))
    )


def _gold_from_traces(chance: Random) -> Case:
    """Gold of either kind, traces and texts, any of them broken, and at times a lock."""
    record = chance.choice(("gold", "gold", "retrieval_gold"))
    gold = plain_file(record)
    if chance.random() < 0.5:
        gold = broken_text(chance, gold)
    trace = broken_file(chance, "trace", chance.random() < 0.5)
    texts = broken_file(chance, "texts", chance.random() < 0.3)
    files = {"gold.jsonl": gold, **_named(trace, texts)}
    if chance.random() < 0.2:
        files["gold.lock"] = broken_text(chance, made_by_ragstone()["gold.lock"])
    traced = ["--trace", trace.name]
    given = chance.choice((traced, traced, traced, ["--data", "."], ["--run", "last"]))
    how = chance.choice((["--list"], ["--yes"], ["--yes"], ["--accept", "A1"], []))
    words = ["gold", "from-traces", "gold.jsonl", *given, *how, "--by", "Ann"]
    words += chance.choice(([], ["--texts", texts.name], ["-o", "out.jsonl"], ["--freeze"]))
    more = more_flags(chance, "gold from-traces") if chance.random() < 0.5 else ()
    return Case("gold from-traces", (*words, *more), files)


def _gold_type(chance: Random) -> Case:
    file = broken_file(chance, "gold")
    how = chance.choice((["-o", "typed.jsonl", "--accept", "all"], ["-o", "typed.jsonl"], []))
    words = ("gold", "type", file.name, *how, *more_flags(chance, "gold type"))
    return Case("gold type", words, _named(file), stdin=chance.choice((b"", b"y\n", b"\xff\n")))


def _gold_freeze(action: str) -> Make:
    """A gold set of any suite and mostly a lock, either of them broken."""

    def make(chance: Random) -> Case:
        record = chance.choice(("gold", "gold", "retrieval_gold", "reference"))
        file = broken_file(chance, record, chance.random() < 0.5)
        files = _named(file)
        if chance.random() < 0.6:
            lock = f"{file.name.partition('.')[0]}.lock"
            files[lock] = broken_text(chance, made_by_ragstone()["gold.lock"])
        signed = ["--who", "Ann", "--why", "so"] if action == "freeze" else []
        words = ["gold", action, file.name, *signed, *more_flags(chance, f"gold {action}")]
        return Case(f"gold {action}", tuple(words), files)

    return make


def _gold_diff(chance: Random) -> Case:
    record = chance.choice(("gold", "gold", "retrieval_gold", "reference"))
    old, new = broken_file(chance, record), broken_file(chance, record, chance.random() < 0.5)
    files = {f"old.{old.name}": old.data, f"new.{new.name}": new.data}
    words = ["gold", "diff", *files, *more_flags(chance, "gold diff")]
    return Case("gold diff", tuple(words), files)


def _migrate(chance: Random) -> Case:
    old = broken_file(chance, "manifest", chance.random() < 0.5)
    gold = broken_file(chance, chance.choice(("gold", "retrieval_gold")), chance.random() < 0.5)
    files = {f"old.{old.name}": old.data, "new.jsonl": plain_file("manifest"), gold.name: gold.data}
    words = [
        "migrate",
        f"old.{old.name}",
        "new.jsonl",
        "--gold",
        gold.name,
        "-o",
        "made.jsonl",
    ]
    return Case("migrate", (*words, *more_flags(chance, "migrate")), files)


def _saved(chance: Random) -> Case:
    call, name = chance.choice((("from_json", "saved.json"), ("from_state", "state.json")))
    return Case(
        "saved report", (), {name: broken_text(chance, made_by_ragstone()[name])}, call=call
    )


def _rows(chance: Random) -> Case:
    """Rows that are already in Python: the same contract, and a row is a line."""
    given = {name: changed_rows(chance, name) for name in JUDGED}
    files = {name: json.dumps(found).encode() for name, found in given.items()}
    expected = {f"<{name}>": read_rows(name, found) for name, found in given.items()}
    return Case("rows in Python", (), files, expected=expected, call="answers")


def _score_eval(chance: Random) -> Case:
    """The scorer that a user vendors: it takes more than the contract, but never falls over."""
    files = {name: unpacked_file(chance, name) for name in JUDGED}
    words = ("score_eval", "--gold", "gold", "--trace", "trace")
    return Case("score_eval", words, files)


def _plain(command: str, *given: str) -> Make:
    """A command that reads no input: odd words and flags are all there is."""

    def make(chance: Random) -> Case:
        words = [chance.choice(given)] if given and chance.random() < 0.8 else []
        return Case(command, (command, *words, *flags(chance, command)), {"a.txt": b"x"})

    return make


def _serve(chance: Random) -> Case:
    """A server that must not start: its address needs a token, and there is none."""
    config = CONFIG + SERVE
    for _ in range(chance.choice((0, 1, 1, 2))):
        config = broken_text(chance, config)
    words = chance.choice(
        (
            [],
            ["--port", chance.choice(("", "x", "-1", "70000", "1e3", "9" * 400))],
            ["--data", chance.choice(("", "a.txt", "a.txt/x"))],
            ["--token-file", chance.choice(("", "a.txt", "none", "."))],
            ["--shadow", chance.choice(("", "x", "index:none", "py:a:b", "http://", "ftp://a/b"))],
            ["--share", chance.choice(("", "x", "-1", "2", "nan", "0.5"))],
        )
    )
    files = {"a.txt": b"x", "ragstone.toml": config}
    return Case("serve", ("serve", "--host", "0.0.0.0", *words), files)


def _watch(chance: Random) -> Case:
    """Records of a log, broken or not, in windows."""
    file = broken_file(chance, "trace", chance.random() < 0.8)
    words = ["watch", "--once", file.name, *chance.choice(([], ["--json"], ["--from", "otel"]))]
    return Case("watch", tuple(words), {file.name: file.data})


def _watched_canary(chance: Random) -> Case:
    """Pairs of a mirror, broken or not, with a gold set or without."""
    words = ["canary", "--live-dir", chance.choice(("data", "data", "data", "none", "gold.jsonl"))]
    data = b"".join(PAIRS[:1] * chance.choice((0, 1, 3)) + PAIRS)
    for _ in range(chance.choice((0, 1, 1, 2))):
        data = broken_text(chance, data)
    gold = broken_file(chance, chance.choice(("gold", "retrieval_gold")), chance.random() < 0.8)
    words += chance.choice(([], ["--gold", gold.name]))
    words += chance.choice(([], ["--max-questions", chance.choice(("0", "1", "9", "x"))]))
    words += chance.choice(([], ["--at-least", chance.choice(("0s", "7d", "x", ""))]))
    words += chance.choice(([], ["--gates", chance.choice(("recall=off", "coverage=2", "x=1"))]))
    words += chance.choice(([], ["--json"], ["-f", "html"], ["-v"], ["--exit-code"]))
    files = {"data/shadow/next/2026-01-01.jsonl": data, gold.name: gold.data}
    return Case("watched canary", tuple(words), files)


def _convert(chance: Random) -> Case:
    """A format's own sample, with one file of it broken, converted or scored."""
    from ragstone.formats.known_formats import every_format

    format = chance.choice(every_format())
    sample = chance.choice(format.samples)
    files = {name: text.removeprefix("\n").encode() for name, text in sample.files.items()}
    name = chance.choice(tuple(files))
    for _ in range(chance.choice((0, 1, 1, 2))):
        files[name] = broken_text(chance, files[name])
    output = chance.choice(("out.jsonl", "out.parquet"))
    words = ["convert", *format.flag.split(), *files, "-o", output]
    words += chance.choice(([], ["--json"], ["--all-errors"]))
    return Case("convert", (*words, *more_flags(chance, "convert")), files)


_SUITES: dict[str, dict[str, str]] = {
    "score": {"gold": "gold", "trace": "trace", "texts": "texts", "judged": "judged"},
    "retrieval": {"gold": "retrieval_gold", "log": "retrieval_log", "manifest": "manifest"},
    "retrieval calibrate": {"gold": "retrieval_gold", "manifest": "manifest"},
    "canary": {"gold": "retrieval_gold", "live": "retrieval_log", "shadow": "retrieval_log"},
    "latency score": {"gold": "gold", "samples": "sample"},
    "stability score": {"gold": "gold", "runs": "run"},
    "audit": {"trace": "trace", "texts": "texts", "judged": "judged"},
    "power": {"gold": "gold", "trace": "trace", "texts": "texts"},
}
_LOAD = ("--knobs", "grid.toml", "--rps", "20", "--duration", "0.05", "--warmup", "0")
# The family, how often it comes in a round, and what makes a case of it.
_COUNTED: tuple[tuple[str, int, Make], ...] = (
    *((f"check {name}", 12 if name in JUDGED else 1, _check(name)) for name in ROWS),
    *((name, 3, _suite(name, **records)) for name, records in _SUITES.items()),
    ("check", 2, _check_unsaid),
    ("score", 14, _score),
    ("context", 4, _context),
    ("trec", 4, _trec),
    ("agreement", 3, _agreement),
    ("gate", 6, _gate),
    ("compare", 5, _compare),
    ("calibrate-judge", 3, _calibrate_judge),
    ("judge's calibration", 2, _judge_gate),
    ("convert", 5, _convert),
    ("run", 6, run),
    ("run replies", 3, replies),
    ("latency sweep", 1, asking("latency sweep", *_LOAD)),
    ("stability run", 1, asking("stability run", "--seeds", "0-1", "--jitters", "none,ws")),
    *((f"index {action}", 2, index(action)) for action in ("build", "query", "diff", "verify")),
    ("runs", 2, _ledger("runs")),
    ("runs show", 2, _ledger("runs show")),
    ("runs export", 1, _ledger("runs export", "-o", "out")),
    ("runs accept", 1, _ledger("runs accept", "--name", "next")),
    ("runs prune", 1, _ledger("runs prune", "--keep", "1")),
    ("trend", 3, _ledger("trend", "-o", "out.html", "-o", "out.md")),
    ("verify", 3, _ledger("verify")),
    ("render", 2, _ledger("render", "-f", "html")),
    ("regate", 3, _ledger("regate", "--gates", "precision=0.5")),
    ("gold lint", 2, _gold_lint),
    ("gold new", 1, _gold_new),
    ("gold from-traces", 2, _gold_from_traces),
    ("gold type", 2, _gold_type),
    *((f"gold {action}", 2, _gold_freeze(action)) for action in ("freeze", "verify")),
    ("gold diff", 2, _gold_diff),
    ("gold check", 2, _gold_check),
    ("migrate", 2, _migrate),
    ("saved report", 3, _saved),
    ("rows in Python", 4, _rows),
    ("score_eval", 2, _score_eval),
    ("serve", 2, _serve),
    ("watch", 3, _watch),
    ("watched canary", 3, _watched_canary),
    ("schema", 1, _plain("schema", *ROWS, "x")),
    ("explain", 1, _plain("explain", "precision", "R@5", "answers.precision", "x", "", "R@\u0661")),
    ("init", 1, _plain("init", "here", "a.txt", "", "a.txt/x")),
    ("vendor", 1, _plain("vendor", "here", "a.txt", "", "a.txt/x")),
    ("demo", 1, _plain("demo")),
)
_TIMES = [times for _, times, _ in _COUNTED]
# Mixed, so that the slow ones do not come one after the other.
_SLOTS = Random(0).sample(_COUNTED, k=sum(_TIMES), counts=_TIMES)


def family_of(number: int) -> str:
    return _SLOTS[number % len(_SLOTS)][0]


def make_case(seed: int, number: int) -> Case:
    """The case of this number, the same every time."""
    return _SLOTS[number % len(_SLOTS)][2](Random(f"{seed}/{number}"))


def must_be_complete() -> None:
    """Every command and every record of the program has a family."""
    from ragstone.suites.registry import records

    families = {name for name, *_ in _COUNTED}
    lacking = sorted({*parsers(), *(f"check {name}" for name in records())} - families)
    if lacking:
        raise SystemExit(f"checks/fuzzing/families.py has no family for: {', '.join(lacking)}")
