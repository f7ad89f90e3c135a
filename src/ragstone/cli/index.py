"""Build a small real index of your documents, and look into it: no model, no network."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.check import gold_items
from ragstone.cli.common import as_json, say, say_each
from ragstone.cli.flags import add_json, flag, number, whole
from ragstone.errors import ConfigError
from ragstone.progress import doing

if TYPE_CHECKING:
    from ragstone.index.extractive import Extract
    from ragstone.index.ranker import Hit
    from ragstone.index.store import Header

SHOWN_OF_A_CHUNK = ("type", "section_id", "offsets", "text")


def _configure_build(parser: argparse.ArgumentParser) -> None:
    flag(parser, "DOCS", "a folder of Markdown, HTML, text, PDF, code")
    flag(parser, "-o --output INDEX", "the index's folder", required=True)
    most = "how much prose a chunk holds at most"
    flag(parser, "--chunk-size BYTES", most, type=whole, default=1000)
    flag(parser, "--calibrate GOLD", "set the answerer's threshold from a gold set")
    flag(parser, "--threshold SUPPORT", "set the answerer's threshold by hand", type=number)
    add_json(parser)


def _configure_query(parser: argparse.ArgumentParser) -> None:
    flag(parser, "INDEX", "the index's folder")
    flag(parser, "QUESTION", "what to look for")
    flag(parser, "--k K", "how many chunks to show", type=whole, default=5)
    flag(
        parser,
        "--mode",
        "how chunks are ranked",
        choices=("hybrid", "bm25", "vector"),
        default="hybrid",
    )
    add_json(parser)


def _configure_diff(parser: argparse.ArgumentParser) -> None:
    flag(parser, "A", "the first index")
    flag(parser, "B", "the second index")
    add_json(parser)


def _configure_verify(parser: argparse.ArgumentParser) -> None:
    flag(parser, "INDEX", "the index's folder")
    flag(
        parser,
        "--docs DOCS",
        "also check that these documents are still the ones it was built from",
    )
    add_json(parser)


def build(arguments: argparse.Namespace) -> int:
    from ragstone.index.documents import found_in
    from ragstone.index.extractive import calibrated, lessons
    from ragstone.index.ranker import Ranker, words_of
    from ragstone.index.store import built, write_index
    from ragstone.report.text import counted

    if not 100 <= arguments.chunk_size <= 100_000:
        raise ConfigError(f"--chunk-size {arguments.chunk_size}: expected 100 to 100000")
    if arguments.calibrate is not None and arguments.threshold is not None:
        raise ConfigError("--calibrate and --threshold cannot be given together")
    path = Path(arguments.output)
    steps = {"gold": 20.0, "reading": 60.0, "ranking": 60.0, "calibrating": 200.0}
    steps = {"reading": 60.0} if arguments.calibrate is None else steps
    with doing("index build", steps={**steps, "counting words": 40.0}):
        gold = None
        if arguments.calibrate is not None:
            with doing("reading", step="gold"):
                gold = gold_items(arguments.calibrate)
        found = found_in(arguments.docs)
        documents, chunks = built(found, arguments.chunk_size)
        threshold = arguments.threshold
        if gold is not None:
            ranker = Ranker(chunks, [words_of(chunk) for chunk in chunks])
            threshold = calibrated(lessons(ranker, gold))
        header = write_index(
            path,
            documents,
            chunks,
            found.skipped,
            arguments.chunk_size,
            threshold,
            gold is not None,
        )
    if arguments.json:
        say(as_json({"index": str(path), **_shown(header)}))
    elif not arguments.quiet:
        say(f"{counted(header.documents, 'document')}, {counted(header.chunks, 'chunk')}")
        if header.skipped:
            say(f"{counted(header.skipped, 'file')} left out: not a format that can be read")
        how = "calibrated" if header.calibrated else "given" if threshold is not None else "default"
        say(f"answers where the support is at least {header.threshold:.4f} ({how})")
        say(f"index_hash {header.index_hash}\nwrote {path}")
    return 0


def query(arguments: argparse.Namespace) -> int:
    from ragstone.index.extractive import Answerer
    from ragstone.index.store import MANIFEST, open_index

    if not 1 <= arguments.k <= 1000:
        raise ConfigError(f"--k {arguments.k}: expected 1 to 1000")
    with doing("index query", steps={MANIFEST: 60, "ranking": 40}):
        index = open_index(arguments.index)
        hits = index.ranker.search(arguments.question, arguments.k, arguments.mode)
        best = Answerer(index.ranker.idf).best(arguments.question, hits[:5])
    threshold = index.header.threshold
    if arguments.json:
        answer = None
        if best is not None:
            answer = {
                "claim": best.text,
                "citation": best.chunk.id,
                "offsets": best.offsets,
                "support": best.support,
                "said": best.support >= threshold,
            }
        made = {
            "question": arguments.question,
            "mode": arguments.mode,
            "index_hash": index.header.index_hash,
            "threshold": threshold,
            "answer": answer,
            "topk": [
                {
                    "id": hit.chunk.id,
                    "score": round(hit.score, 9),
                    **{key: getattr(hit.chunk, key) for key in SHOWN_OF_A_CHUNK},
                }
                for hit in hits
            ],
        }
        say(as_json(made))
        return 0
    _tell(arguments, hits, best, threshold)
    return 0


def _tell(
    arguments: argparse.Namespace, hits: Sequence[Hit], best: Extract | None, threshold: float
) -> None:
    from ragstone.index.extractive import REFUSAL
    from ragstone.report.text import shown

    if best is not None and best.support >= threshold:
        say(f"{shown(best.text, 400)}\n  {best.chunk.id}  support {best.support:.4f}")
    else:
        support = 0.0 if best is None else best.support
        say(f"{REFUSAL}\n  support {support:.4f} is under {threshold:.4f}")
    if arguments.quiet:
        return
    say("")
    for rank, hit in enumerate(hits, 1):
        say(f"{rank:>3}  {hit.score:.6f}  {hit.chunk.type:<6} {hit.chunk.id}")
        say(f"     {shown(' '.join(hit.chunk.text.split()), 90)}")


def diff(arguments: argparse.Namespace) -> int:
    from ragstone.index.store import chunks_of, compared

    with doing("index diff", steps={"a": 45, "b": 45, "comparing": 10}):
        with doing("reading", step="a"):
            left, one = chunks_of(arguments.a)
        with doing("reading", step="b"):
            right, other = chunks_of(arguments.b)
        change = compared(one, other)
    names = ("normalizer", "analyzer", "embedder", "chunk_size", "threshold")
    how = [name for name in names if getattr(left, name) != getattr(right, name)]
    if arguments.json:
        same = left.index_hash == right.index_hash
        say(as_json({**dataclasses.asdict(change), "settings": how, "same_index_hash": same}))
        return 0
    marked = (("+", change.added), ("-", change.removed))
    changed = len(change.added) + len(change.removed)
    say_each((f"{mark} {id}" for mark, ids in marked for id in ids), changed)
    if not arguments.quiet:
        counts = (len(change.added), len(change.removed), len(change.moved), change.same)
        say("{:,} added, {:,} removed, {:,} moved, {:,} as they were".format(*counts))
        if how:
            say(f"built differently: {', '.join(how)}")
    return 0


def verify(arguments: argparse.Namespace) -> int:
    from ragstone.index.store import DOCUMENTS, MANIFEST, header_in, index_problems
    from ragstone.report.text import counted

    _, header = header_in(arguments.index)
    with doing("index verify", steps={MANIFEST: 40, DOCUMENTS: 20, "reading": 40}):
        found = index_problems(arguments.index, arguments.docs)
    if arguments.json:
        say(as_json({"pass": not found, "problems": found, **_shown(header)}))
        return 1 if found else 0
    say_each(found, len(found))
    if not arguments.quiet:
        whole = f"{counted(header.chunks, 'chunk')}, all as built"
        say(counted(len(found), "problem") if found else whole)
        say(f"index_hash {header.index_hash}")
    return 1 if found else 0


def _shown(header: Header) -> dict[str, object]:
    from msgspec import to_builtins

    made: dict[str, object] = to_builtins(header)
    # `format` is that of the printed object.
    return {"index_format": made.pop("format"), **made}


ACTIONS = {
    "build": ("read documents and write an index", _configure_build, build),
    "query": (
        "show what an index finds for a question, and what it answers",
        _configure_query,
        query,
    ),
    "diff": ("list the chunks that differ between two indexes", _configure_diff, diff),
    "verify": ("say whether an index is whole and up to date", _configure_verify, verify),
}
