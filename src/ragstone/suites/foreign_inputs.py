"""Inputs that other tools wrote: translated before they are read, where the user names the format.

Nothing is tried that was not named. But where the first line of an input has no field of its
record, and has the keys of a format, the error says which.
"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from ragstone.contracts.packed import Damaged, blocks_in
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck, quoted
from ragstone.errors import Diagnostics, InputError
from ragstone.formats.declared_format import Format, Reads
from ragstone.formats.known_formats import find_format
from ragstone.suites.declaration import Input, O, Work
from ragstone.suites.options import Options
from ragstone.suites.several_files import must_be_translated_once


def format_named(options: Options, given: Input) -> Format | None:
    """The format that an input is of; None where it is of ours."""
    for reads in get_args(Reads):
        if given.translated == reads:
            name = options.from_ if reads == "traces" else options.gold_from
            return find_format(name, reads, options.formats) if name else None
    return None


def translate_inputs(work: Work[O]) -> None:
    """Puts files of our lines into the place of those that are of another format."""
    bad = Diagnostics()
    for given in work.suite.inputs:
        try:
            format = format_named(work.options, given)
            if format is not None and work.sources.get(given.name):
                _translate_input(work, given, format)
            elif given.translated and not work.options.map:
                for source in work.sources.get(given.name, ()):
                    _must_not_be_foreign(work.duck, given, source)
        except InputError as error:
            bad.take(error)
    bad.must_be_none()


def _translate_input(work: Work[O], given: Input, format: Format) -> None:
    own = [arm for arm in work.arms if arm.sources and arm.table.startswith(given.name)]
    if not own:
        found = _translated(work, given, format, work.sources[given.name])
    else:
        made = {arm.name: _translated(work, given, format, arm.sources) for arm in own}
        work.arms = tuple(
            replace(arm, sources=made[arm.name]) if arm in own else arm for arm in work.arms
        )
        found = tuple(source for each in made.values() for source in each)
    work.sources = {**work.sources, given.name: found}


def _translated(
    work: Work[O], given: Input, format: Format, sources: tuple[Source, ...]
) -> tuple[Source, ...]:
    from ragstone.formats.translate import Limits, translate

    options, duck = work.options, work.duck
    for source in sources:
        if source.table:
            raise InputError(f"{format.flag} reads files, and {source.name} is a table of Spark's")
    threads = duck.count("select current_setting('threads')::bigint")
    limits = Limits(threads, options.memory_limit, options.temp_folder)
    found = translate(format, sources, duck.scratch, limits)
    work.warnings += [f"{format.name}: {said}" for said in found.losses(places=False)]
    must_be_translated_once(work, given, found.sources)
    return found.sources


def _must_not_be_foreign(duck: Duck, given: Input, source: Source) -> None:
    """Refuses a file that has no field of the record, where a format can be named for it."""
    keys = _keys_of(duck, source)
    # A trace that has only a name has nothing in it.
    own = {field.path[0] for field in given.record.fields} - {"trace_id"}
    if not keys or keys & own:
        return
    from ragstone.formats.first_keys import formats_with

    for reads in get_args(Reads):
        if given.translated == reads:
            likely = formats_with(keys, reads)
            if likely:
                flags = " or ".join(format.flag for format in likely[:2])
                raise InputError(
                    f"{given.name} file {source.name} has no field of a {given.record.name} line; "
                    f"it looks like {likely[0].name}'s: try {flags}"
                )


def _keys_of(duck: Duck, source: Source) -> set[str]:
    """The keys of the first line or row of a file; none where it cannot be read."""
    if source.fault:
        return set()
    if source.parquet:
        from ragstone.engine.native import duckdb

        try:
            return set(duck.columns(f"read_parquet({quoted(str(source.path))})"))
        except duckdb.Error:
            # What is wrong with the file is said when it is read.
            return set()
    from ragstone.formats.first_keys import first_keys

    try:
        return first_keys(next(blocks_in(source.path, source.compression), b""))
    except (OSError, Damaged):
        return set()
