"""From files to the tables the retrieval checks read: gold, logs, manifest, texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources

from ragstone.contracts.record import Record, mapping_of
from ragstone.contracts.records.retrieval_records import (
    DELTA_S,
    LAMBDA_STATE,
    MANIFEST,
    RETRIEVAL_GOLD,
    RETRIEVAL_LOG,
    STATES,
    TEXTS,
    TYPES,
)
from ragstone.contracts.sources import Source, size_of
from ragstone.engine.duck import Duck, identifier
from ragstone.engine.line_places import must_be_unique
from ragstone.engine.read_lines import Loading, load
from ragstone.errors import ContractError, Diagnostic
from ragstone.suites.answers import slices
from ragstone.suites.retrieval import sections
from ragstone.suites.retrieval.options import Options

Sources = tuple[Source, ...]

_TYPE_NAMES = ("prose", "code", "table", "figure")


@dataclass(frozen=True, slots=True)
class Files:
    """What the user named: the gold set, one log per side, and what explains the ids."""

    gold: Sources
    logs: Mapping[str, Sources]
    manifest: Sources = ()
    texts: Sources = ()

    @property
    def all(self) -> Sources:
        """Every file of them."""
        logs = (source for sources in self.logs.values() for source in sources)
        return (*self.gold, *logs, *self.manifest, *self.texts)


def sql(file: str, /, **parts: str) -> str:
    """A statement of this package with its {parts} filled in."""
    text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
    for key, value in parts.items():
        text = text.replace(f"{{{key}}}", value)
    return text


def read(duck: Duck, files: Files, options: Options) -> dict[str, int]:
    """Fills every table, or lists all that is wrong with all files; returns the lines of each."""
    # The lists of ids take about half as much again as the lines they came from.
    duck.expect(size_of(files.all) * 3 // 2)
    _variables(duck, options)
    sections.install(duck)
    steps: dict[str, Callable[[], int]] = {"gold": lambda: _gold(duck, files.gold, options)}
    for side, sources in files.logs.items():
        steps[side] = lambda side=side, sources=sources: _log(duck, side, sources, options)  # type: ignore[misc]
    steps["manifest"] = lambda: _chunks(duck, MANIFEST, files.manifest, options)
    steps["texts"] = lambda: _chunks(duck, TEXTS, files.texts, options)
    lines: dict[str, int] = {}
    bad: list[Diagnostic] = []
    for name, step in steps.items():
        try:
            lines[name] = step()
        except ContractError as error:
            bad.extend(error.diagnostics)
    if bad:
        raise ContractError(bad)
    if files.manifest:
        duck.run("insert into texts select id, text from manifest where text is not null "
                 "and id not in (select id from texts)")  # fmt: skip
    return lines


def _variables(duck: Duck, options: Options) -> None:
    duck.set(types=list(TYPES), type_names=[TYPES[name] for name in TYPES], unit=options.unit)
    duck.run("set variable states = map($keys, $values)",
             {"keys": list(STATES), "values": list(STATES.values())})  # fmt: skip
    duck.run("set variable type_of = map($keys, $values)",
             {"keys": list(TYPES), "values": list(TYPES.values())})  # fmt: skip


def _gold(duck: Duck, sources: Sources, options: Options) -> int:
    mapping = mapping_of(RETRIEVAL_GOLD, options.mapping)
    select = sql("gold.sql") + slices.column(options.slice_fields)
    fields = options.slice_fields
    lines = load(duck, Loading(RETRIEVAL_GOLD, sources, "gold", select, mapping, fields))
    if lines == 0:
        raise ContractError([Diagnostic(sources[0].name, 1, "qid", "the gold file holds no item")])
    must_be_unique(duck, "gold", sources, mapping, "was already given")
    slices.must_be_known(duck, options.slice_fields)
    return lines


def _log(duck: Duck, side: str, sources: Sources, options: Options) -> int:
    select = sql(
        "log.sql",
        delta_s=f"coalesce({', '.join(identifier(name) for name in DELTA_S)})",
        lambda_state=f"coalesce({', '.join(identifier(name) for name in LAMBDA_STATE)})",
    )
    loading = Loading(
        RETRIEVAL_LOG, sources, f"log_{side}", select, mapping_of(RETRIEVAL_LOG, options.mapping)
    )
    return load(duck, loading)


def _chunks(duck: Duck, record: Record, sources: Sources, options: Options) -> int:
    """The manifest or the texts; without a file, the empty table of the same shape."""
    mapping = mapping_of(record, options.mapping)
    select = sql("manifest.sql")
    if record is TEXTS:
        select = "id, text,"
    table = record.name
    if not sources:
        columns = "id varchar, text varchar"
        if record is MANIFEST:
            columns = (
                "id varchar, section varchar, b bigint, e bigint, type varchar, doc varchar, "
                "hash varchar, text varchar"
            )
        duck.run(f"create temp table {table} ({columns})")
        return 0
    loaded = f"{table}_lines"
    lines = load(duck, Loading(record, sources, loaded, select, mapping))
    must_be_unique(duck, loaded, sources, mapping, "was already given", key="id")
    duck.run(f"create temp table {table} as select * exclude (source) from {loaded}")
    duck.run(f"drop table {loaded}")
    return lines
