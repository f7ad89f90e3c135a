"""The documents, manifests, texts and traces that a gold set is held against."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ragstone.cli.check import items
from ragstone.cli.flags import flag, whole
from ragstone.contracts.record import Given
from ragstone.errors import ConfigError

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.engine.duck import Duck
    from ragstone.suites.answers.lint import Item
    from ragstone.tools.known_chunks import KnownChunks

_SIZE = 1000


def add_docs(parser: argparse.ArgumentParser) -> None:
    flag(parser, "--docs DIR", "a folder of documents, split as `index build` splits them")
    flag(parser, "--chunk-size BYTES", "with --docs: the chunk size of `index build`", type=whole)


def known_chunks(
    arguments: argparse.Namespace,
    duck: Duck,
    mapping: Given,
    manifest: Sequence[Item] | None = None,
) -> dict[str, KnownChunks]:
    """What was given, by its flag: documents, a manifest, texts, traces, in this order.

    `manifest` are its lines, where these have been read already.
    """
    from ragstone.contracts.records.retrieval_records import TEXTS
    from ragstone.contracts.records.trace_records import TRACE
    from ragstone.contracts.sources import find
    from ragstone.suites.answers.lint import retrieved_ids
    from ragstone.tools.known_chunks import from_manifest, from_traces

    if not arguments.docs and arguments.chunk_size is not None:
        raise ConfigError("--chunk-size goes with --docs")
    found = {"docs": _split(arguments)} if arguments.docs else {}
    lines = manifest if manifest is not None else manifest_lines(arguments, duck, mapping)
    if lines is not None:
        found["manifest"] = from_manifest("the manifest", lines)
    if getattr(arguments, "texts", None):
        texts = items(duck, find(arguments.texts, "texts", duck.scratch), TEXTS, mapping)
        found["texts"] = from_manifest("the texts", texts)
    if arguments.trace:
        traces = items(duck, find(arguments.trace, "trace", duck.scratch), TRACE, mapping)
        found["trace"] = from_traces(retrieved_ids(traces), traces)
    return found


def manifest_lines(
    arguments: argparse.Namespace, duck: Duck, mapping: Given
) -> Sequence[Item] | None:
    """The lines of --manifest; None where it is not given."""
    from ragstone.contracts.records.retrieval_records import MANIFEST
    from ragstone.contracts.sources import find

    if not arguments.manifest:
        return None
    return items(duck, find(arguments.manifest, "manifest", duck.scratch), MANIFEST, mapping)


def _split(arguments: argparse.Namespace) -> KnownChunks:
    from ragstone.index.documents import found_in
    from ragstone.index.store import built
    from ragstone.tools.known_chunks import from_manifest

    size = _SIZE if arguments.chunk_size is None else arguments.chunk_size
    if not 100 <= size <= 100_000:
        raise ConfigError(f"--chunk-size {size}: expected 100 to 100000")
    documents, chunks = built(found_in(arguments.docs), size)
    listed = (
        {"id": each.id, "doc": each.doc, "offsets": each.offsets, "text": each.text}
        for each in chunks
    )
    texts = {document.doc: document.text for document in documents}
    return replace(from_manifest("the documents", listed), documents=texts)


def is_retrieval(duck: Duck, source: Source) -> bool:
    """Whether the first line that can be read names what only a retrieval gold set has."""
    from ragstone.contracts.diagnose import numbered
    from ragstone.contracts.strict_json import NotJson, parse
    from ragstone.engine.parquet_files import lines_or_rows
    from ragstone.tools.gold_text import is_retrieval_item

    for _, line in numbered(lines_or_rows(duck, source)):
        with suppress(NotJson):
            value = parse(line)
            return isinstance(value, dict) and is_retrieval_item(value)
    return False


def read_gold(duck: Duck, files: tuple[Source, ...], mapping: Given) -> tuple[list[Item], bool]:
    """The items of a gold set, and whether it is one for retrieval."""
    from ragstone.contracts.records.gold_record import GOLD
    from ragstone.contracts.records.retrieval_records import RETRIEVAL_GOLD

    if is_retrieval(duck, files[0]):
        return [*items(duck, files, RETRIEVAL_GOLD, mapping)], True
    return [*items(duck, files, GOLD, mapping, filled=True)], False
