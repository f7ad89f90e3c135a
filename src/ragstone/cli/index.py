"""Build a small real index of your documents, and look into it; no model, no network."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.common import add_everywhere, say, whole
from ragstone.errors import ConfigError, InputError

if TYPE_CHECKING:
    from ragstone.index.chunk_model import Chunk
    from ragstone.index.extractive import Extract
    from ragstone.index.ranker import Hit
    from ragstone.index.store import Header

EXAMPLE = """\
examples:
  ragstone index build docs/ -o docs.index
  ragstone index build docs/ -o docs.index --calibrate eval/gold.jsonl
  ragstone index query docs.index "how long are events kept?" -k 3
  ragstone index diff docs.index new.index
  ragstone index verify docs.index --docs docs/
  ragstone run --target index:docs.index --gold eval/gold.jsonl
"""


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _build(actions.add_parser("build", help="read documents and make an index", epilog=EXAMPLE))
    _query(actions.add_parser("query", help="what does it find, and say?", epilog=EXAMPLE))
    _diff(actions.add_parser("diff", help="which chunks differ between two?", epilog=EXAMPLE))
    _verify(actions.add_parser("verify", help="is it whole and up to date?", epilog=EXAMPLE))


def _build(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("docs", metavar="DOCS", help="a folder of Markdown, HTML, text, PDF, code")
    parser.add_argument("-o", "--output", metavar="INDEX", required=True, help="the index's folder")
    parser.add_argument(
        "--chunk-size", type=whole, metavar="BYTES", default=1000,
        help="how much prose a chunk holds at most (1000)",
    )  # fmt: skip
    parser.add_argument(
        "--calibrate", metavar="GOLD", help="set the answerer's threshold from a gold set"
    )
    parser.add_argument(
        "--threshold", type=float, metavar="SUPPORT", help="set the answerer's threshold by hand"
    )
    _common(parser, build)


def _query(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("index", metavar="INDEX", help="the index's folder")
    parser.add_argument("question", metavar="QUESTION", help="what to look for")
    parser.add_argument("-k", type=whole, default=5, metavar="K", help="how many chunks (5)")
    parser.add_argument(
        "--mode", choices=("hybrid", "bm25", "vector"), default="hybrid", help="how (hybrid)"
    )
    _common(parser, query)


def _diff(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("one", metavar="A", help="an index")
    parser.add_argument("other", metavar="B", help="another")
    _common(parser, diff)


def _verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("index", metavar="INDEX", help="the index's folder")
    parser.add_argument("--docs", metavar="DOCS", help="also: are these still its documents?")
    _common(parser, verify)


def _common(parser: argparse.ArgumentParser, action: object) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    add_everywhere(parser)
    parser.set_defaults(parser=parser, act=action)


def run(arguments: argparse.Namespace) -> int:
    return int(arguments.act(arguments))


def build(arguments: argparse.Namespace) -> int:
    from ragstone.index.documents import found_in
    from ragstone.index.store import built, write_index

    if not 100 <= arguments.chunk_size <= 100_000:
        raise ConfigError(f"--chunk-size {arguments.chunk_size}: expected 100 to 100000")
    if arguments.calibrate is not None and arguments.threshold is not None:
        raise ConfigError("--calibrate and --threshold cannot be given together")
    gold = None if arguments.calibrate is None else gold_items(arguments.calibrate)
    found = found_in(arguments.docs)
    documents, chunks = built(found, arguments.chunk_size)
    threshold = arguments.threshold if gold is None else learnt(chunks, gold)
    path = Path(arguments.output)
    header = write_index(
        path, documents, chunks, found.skipped, arguments.chunk_size, threshold, gold is not None
    )
    if arguments.json:
        say(_json({"index": str(path), **_shown(header)}))
    elif not arguments.quiet:
        say(f"{header.documents:,} documents, {header.chunks:,} chunks")
        if header.skipped:
            say(f"{header.skipped:,} files passed over: no reader takes them")
        how = "calibrated" if header.calibrated else "given" if threshold is not None else "usual"
        say(f"answers from support {header.threshold:.4f} on ({how})")
        say(f"index_hash {header.index_hash}\nwrote {path}")
    return 0


def gold_items(given: str) -> list[dict[str, object]]:
    """The items of a gold set that keep their contract."""
    from ragstone.contracts.diagnose import diagnose, numbered
    from ragstone.contracts.records.gold_record import GOLD
    from ragstone.contracts.strict_json import parse
    from ragstone.errors import ContractError

    try:
        lines = Path(given).read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise InputError(f"{given}: {error.strerror}") from None
    bad = list(diagnose(GOLD, given, lines, {}, unique="qid"))
    if bad:
        raise ContractError(sorted(bad))
    items = (parse(line) for _, line in numbered(lines))
    return [item for item in items if isinstance(item, dict)]


def learnt(chunks: Sequence[Chunk], gold: list[dict[str, object]]) -> float | None:
    """The threshold that a gold set teaches."""
    from ragstone.index.ranker import Ranker, words_of
    from ragstone.index.threshold import calibrated, lessons

    return calibrated(lessons(Ranker(chunks, [words_of(chunk) for chunk in chunks]), gold))


def query(arguments: argparse.Namespace) -> int:
    from ragstone.index.extractive import Answerer
    from ragstone.index.store import open_index

    if not 1 <= arguments.k <= 1000:
        raise ConfigError(f"-k {arguments.k}: expected 1 to 1000")
    index = open_index(arguments.index)
    hits = index.ranker.search(arguments.question, arguments.k, arguments.mode)
    best = Answerer(index.ranker.idf).best(arguments.question, hits[:5])
    threshold = index.header.threshold
    if arguments.json:
        answer = None if best is None else {
            "claim": best.text, "citation": best.chunk.id, "offsets": best.offsets,
            "support": best.support, "said": best.support >= threshold,
        }  # fmt: skip
        made = {
            "question": arguments.question,
            "mode": arguments.mode,
            "index_hash": index.header.index_hash,
            "threshold": threshold,
            "answer": answer,
            "topk": [
                {
                    "id": hit.chunk.id, "score": round(hit.score, 9), "type": hit.chunk.type,
                    "section_id": hit.chunk.section_id, "offsets": hit.chunk.offsets,
                    "text": hit.chunk.text,
                }
                for hit in hits
            ],
        }  # fmt: skip
        say(_json(made))
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
    from ragstone.index.verify import chunks_of, compared

    left, one = chunks_of(arguments.one)
    right, other = chunks_of(arguments.other)
    change = compared(one, other)
    how = [
        name
        for name in ("normalizer", "analyzer", "embedder", "chunk_size", "threshold")
        if getattr(left, name) != getattr(right, name)
    ]
    if arguments.json:
        same = left.index_hash == right.index_hash
        say(_json({**dataclasses.asdict(change), "settings": how, "same_index_hash": same}))
        return 0
    for mark, ids in (("+", change.added), ("-", change.removed)):
        for id in ids:
            say(f"{mark} {id}")
    if not arguments.quiet:
        counts = (len(change.added), len(change.removed), len(change.moved), change.same)
        say("{:,} added, {:,} removed, {:,} moved, {:,} as they were".format(*counts))
        if how:
            say(f"built differently: {', '.join(how)}")
    return 0


def verify(arguments: argparse.Namespace) -> int:
    from ragstone.index.store import header_in
    from ragstone.index.verify import index_problems

    _, header = header_in(arguments.index)
    found = index_problems(arguments.index, arguments.docs)
    if arguments.json:
        say(_json({"pass": not found, "problems": found, **_shown(header)}))
        return 1 if found else 0
    for problem in found:
        say(problem)
    if not arguments.quiet:
        say(f"{len(found):,} problems" if found else f"{header.chunks:,} chunks, all as built")
        say(f"index_hash {header.index_hash}")
    return 1 if found else 0


def _shown(header: Header) -> dict[str, object]:
    import msgspec

    made: dict[str, object] = msgspec.to_builtins(header)
    return made


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, indent=2)
