"""The options that every suite has, each declared once as a field.

Modules that declare options do not postpone the evaluation of annotations: the types are read when
a command starts, and evaluating their text takes as long as scoring a few questions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragstone.contracts.record import FieldMap, Given, Record, mapping_of
from ragstone.engine.memory_size import memory_size
from ragstone.errors import ConfigError
from ragstone.formats.known_formats import own_formats_from_table
from ragstone.gates.judge import split_flags
from ragstone.gates.margin import Margins, margins_given
from ragstone.ledger.run_place import PLACE
from ragstone.suites import waivers
from ragstone.suites.option_fields import checked, declared, option
from ragstone.suites.settings_tables import (
    GateChanges,
    SliceGates,
    gates_from_table,
    mapping_from_table,
    mapping_from_words,
    margins_from_table,
    margins_from_words,
    slices_from_table,
)
from ragstone.suites.waivers import Waiver, day_of, must_differ, waivers_from_table

Texts = Literal["all", "clip", "none"]
Engine = Literal["duckdb", "spark"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Options:
    """What every suite can be told; a suite's own options are added by inheriting from this.

    `gates` are changes over the defaults, in order, the last one winning.
    """

    map: Mapping[str, str] = option(
        {},
        "read a field from another place, as in claim=answer.text or gold.qid=id",
        metavar="FIELD=PATH",
        group="inputs",
        key="map",
        words=mapping_from_words,
        table=mapping_from_table,
        add=lambda file, flags: {**file, **flags},
    )
    ids: Literal["text", "hash"] | None = option(
        None,
        "text: ids may be whole numbers; hash: ids are whole texts, each read as its hash",
        group="inputs",
        key="read.ids",
    )
    allow_key: tuple[str, ...] = option(
        (),
        "take this key of a line as it is, though it is nearly a field",
        metavar="NAME",
        group="inputs",
        key="contracts.allow",
        hashed=False,
        add=lambda file, flags: (*file, *flags),
    )
    from_: str | None = option(
        None,
        "the traces are another tool's, of this format",
        flags=("--from",),
        metavar="NAME",
        group="inputs",
        key="from",
        called="from",
        translates="traces",
    )
    gold_from: str | None = option(
        None,
        "the gold set is another tool's, of this format",
        metavar="NAME",
        group="inputs",
        translates="gold",
    )
    formats: Mapping[str, Mapping[str, Any]] = option(
        {},
        "formats of your own, by name",
        flagless=True,
        group="inputs",
        key="format",
        hashed=False,
        table=own_formats_from_table,
        translates="either",
    )
    gates: GateChanges = option(
        (),
        "thresholds in place of the file's and the default ones; NAME=off drops one",
        metavar="NAME=NUMBER",
        group="deciding",
        hashed=False,
        words=lambda words: tuple(split_flags(words)),
        table=gates_from_table,
        add=lambda file, flags: (*file, *flags),
    )
    slices: tuple[SliceGates, ...] = option(
        (),
        "gates for a part of the questions",
        flagless=True,
        hashed=False,
        table=slices_from_table,
    )
    strict: bool = option(False, "no gate may have nothing to test", group="deciding", key="")
    confidence: float | None = option(
        None,
        "a gate must be proven at this level to pass, as in 0.95",
        metavar="LEVEL",
        group="deciding",
        key="",
        least=0.5,
        # A level that rounds to 1 in the middle of a formula has no interval.
        most=0.999999,
    )
    unfrozen: bool = option(
        False,
        "score gold that changed since it was frozen; its numbers decide nothing",
        group="deciding",
        key="",
        hashed=False,
    )
    baseline: str | None = option(
        None,
        "what to compare with: the rows of an earlier run (.parquet), its report (.json), its own "
        "inputs, or its accepted name",
        metavar="RUN",
        group="deciding",
        key="",
        hashed=False,
    )
    max_regression: Margins = option(
        (),
        "how much worse than the baseline a metric may be, as in precision=0.02 or p95=5%",
        metavar="NAME=NUMBER",
        group="deciding",
        hashed=False,
        words=margins_from_words,
        table=margins_from_table,
        add=lambda file, flags: (*file, *flags),
    )
    margin: float = option(
        0.02,
        "how much worse is no worse, where a comparison has no gate",
        metavar="SHARE",
        group="deciding",
        hashed=False,
        least=0.0,
        most=1.0,
    )
    protect: tuple[str, ...] = option(
        (),
        "questions that may never break: qids, or @FILE with one on each line",
        metavar="QIDS",
        group="deciding",
        hashed=False,
    )
    labels_share: float = option(
        0.20,
        "compare nothing if this share of gold's ids no longer occurs in what was retrieved",
        metavar="SHARE",
        group="deciding",
        hashed=False,
        least=0.0,
        most=1.000001,
    )
    waive: tuple[Waiver, ...] = option(
        (),
        "known failures that no gate counts until a day, each with qid, until and why",
        flagless=True,
        group="deciding",
        key="waive",
        table=waivers_from_table,
    )
    as_of: str | None = option(
        None,
        "the day on which waivers are judged, as in 2027-01-31 (today, in UTC)",
        metavar="DATE",
        group="deciding",
        key="",
    )
    by: tuple[str, ...] = option(
        (),
        "also show numbers by tags, or by any field of the gold items",
        metavar="FIELD",
        group="showing",
        commas=True,
    )
    all: bool = option(False, "list every row, not just the first 10", group="showing", key="")
    report_texts: Texts = option(
        "all",
        "show questions and answers whole, clipped to 80 characters, or not at all",
        group="showing",
        key="report.texts",
    )

    record: bool = option(
        False,
        "keep the run in the ledger: its report, its rows, and what it was made from",
        group="recording",
        key="ledger.record",
        hashed=False,
    )
    label: tuple[str, ...] = option(
        (),
        "what to call a recording or a page, as in model=v2 or commit=1a2b3c4",
        metavar="NAME=TEXT",
        group="recording",
        key="",
        hashed=False,
    )
    ledger: str = option(
        PLACE,
        "the folder or URL of the ledger",
        metavar="PLACE",
        group="recording",
        key="ledger.path",
        hashed=False,
        is_path=True,
    )
    ledger_texts: Texts = option(
        "clip",
        "how much of questions and answers a recorded run holds",
        flagless=True,
        group="recording",
        key="ledger.texts",
        hashed=False,
    )

    memory: str | None = option(
        None,
        "the most memory to use, as in 2GB; a large input is then scored in parts",
        metavar="SIZE",
        group="engine",
        key="engine.memory",
        hashed=False,
    )
    temp: str | None = option(
        None,
        "the folder for what does not fit into memory",
        metavar="DIR",
        group="engine",
        key="engine.temp",
        hashed=False,
        is_path=True,
    )

    engine: Engine = option(
        "duckdb",
        "what reads and scores: this machine, or Spark",
        group="engine",
        key="engine.name",
        hashed=False,
    )
    master: str | None = option(
        None,
        "the master of Spark, as in local[4], spark://host:7077 or sc://host (local[*])",
        metavar="URL",
        group="engine",
        key="engine.master",
        hashed=False,
    )
    spark_conf: tuple[str, ...] = option(
        (),
        "settings of Spark, as in spark.sql.shuffle.partitions=400",
        metavar="KEY=VALUE",
        group="engine",
        key="engine.spark_conf",
        hashed=False,
    )
    # Which options the command line or a call gives, rather than ragstone.toml.
    of_this_call: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for each in declared(type(self)):
            value = checked(each, getattr(self, each.name))
            # A frozen instance is completed once, here: a lone word becomes a list of one.
            object.__setattr__(self, each.name, value)
        margins_given(self.max_regression)
        if self.memory is not None:
            memory_size(self.memory)
        elif self.temp is not None:
            raise ConfigError("temp needs memory: without a limit nothing is put aside")
        _must_be_of_spark(self)
        must_differ(self.waive, "waive")
        if self.as_of is not None or self.waive:
            day = waivers.today() if self.as_of is None else day_of(self.as_of, "as_of")
            object.__setattr__(self, "as_of", day)

    def mapping(self, record: Record) -> FieldMap:
        """How the fields of a record are read that the user says something of."""
        base = int(getattr(self, "cite_base", 1))
        return mapping_of(record, Given(self.map, self.ids or "", base, self.allow_key))

    @property
    def waived(self) -> tuple[str, ...]:
        """The questions that no gate counts on this day."""
        day = self.as_of or ""
        return tuple(waiver.qid for waiver in self.waive if waiver.holds_on(day))

    @property
    def memory_limit(self) -> int:
        """The bytes of memory that the user allows; 0 where there is no limit."""
        return 0 if self.memory is None else memory_size(self.memory)

    @property
    def temp_folder(self) -> Path | None:
        """The folder for what does not fit into memory, if one was named; it must exist."""
        if self.temp is None:
            return None
        if not Path(self.temp).is_dir():
            raise ConfigError(f"temp: there is no folder {self.temp}; make it, or name another")
        return Path(self.temp)

    @property
    def level(self) -> float:
        """The level of the printed intervals."""
        return self.confidence or 0.95

    @property
    def limit(self) -> int | None:
        """How many rows each list of the report shows; None is all of them."""
        return None if self.all else SHOWN

    @property
    def slice_fields(self) -> tuple[str, ...]:
        """The fields that slices read, each once."""
        used = [*self.by, *(name for part in self.slices for name, _ in part.where)]
        return tuple(dict.fromkeys(used))

    def settings(self) -> dict[str, object]:
        """The effective configuration, as the report shows it and the digest covers it.

        Where nothing is waived and no day was named, a report does not depend on the day. What is
        not translated has no format.
        """
        found = {
            each.called: plain(getattr(self, each.name))
            for each in declared(type(self))
            if each.option.hashed
        }
        maybe = ("waive", "as_of", "ids", "from", "gold_from", "keep", "only_judged")
        unused = [name for name in maybe if not found.get(name)]
        return {name: value for name, value in found.items() if name not in unused}


def _must_be_of_spark(options: Options) -> None:
    """Refuses settings of the engine that was not chosen."""
    if options.engine == "spark":
        if options.memory is not None:
            raise ConfigError("memory is a limit for --engine duckdb; executors have Spark's")
    elif options.master is not None or options.spark_conf:
        name = "spark_conf" if options.master is None else "master"
        raise ConfigError(f"{name} needs --engine spark")
    for word in options.spark_conf:
        key, equals, _ = word.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"spark_conf {word!r}: expected KEY=VALUE")


def has_baseline(inputs: Mapping[str, Any], options: Options) -> bool:
    """Whether a run may be compared with an earlier one; the code for it is read only then."""
    return bool(options.baseline or inputs.get("baseline"))


def must_have_baseline(
    given: Mapping[str, Any], inputs: Mapping[str, Any], options: Options
) -> None:
    """Refuses what is asked of a comparison in a run that is compared with nothing.

    Only where a flag or a call asks for it: ragstone.toml does so for all commands.
    """
    if has_baseline(inputs, options):
        return
    if given.get("protect"):
        raise ConfigError("--protect needs --baseline: what broke was right before")
    if given.get("max_regression"):
        raise ConfigError("--max-regression needs --baseline: it must have been better before")


SHOWN = 10


def plain(value: object) -> object:
    """Lists and dictionaries instead of tuples and mappings, as JSON has them."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.as_dict() if isinstance(value, Waiver) else value
