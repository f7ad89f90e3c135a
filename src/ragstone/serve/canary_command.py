"""From a folder of live data to the watched canary of one of its runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError, InputError
from ragstone.gates.judge import suggestion
from ragstone.serve.canary_gold import CanaryGold, canary_gold
from ragstone.serve.canary_values import lines_of
from ragstone.serve.canary_watch import CanarySetup, CanaryWatch
from ragstone.serve.serve_settings import CanarySettings, ServeSettings
from ragstone.shadow.pair_files import RUN, PairFiles, runs_in
from ragstone.suites.config_file import Config, options_of
from ragstone.suites.digest import digest_of
from ragstone.suites.registry import find_suite
from ragstone.suites.retrieval.options import RetrievalOptions


def canary_setup(
    config: Config, settings: ServeSettings, gold: Sequence[str], duck: Duck
) -> CanarySetup:
    """By what pairs are judged; the gold set stays in the scratch folder of `duck`."""
    options = cast(RetrievalOptions, options_of(find_suite("canary"), config, {"gates": ()}))
    return CanarySetup(
        plan=settings.canary.plan(),
        gold=canary_gold(config, gold, duck),
        lines=lines_of(options),
        windows=settings.windows,
        rules=settings.rules,
    )


def changed(settings: ServeSettings, given: CanarySettings, names: Sequence[str]) -> ServeSettings:
    """The settings with what a command line says: those `names` of it that were given."""
    own = settings.canary
    made = CanarySettings(
        given.level if "level" in names else own.level,
        given.most if "most" in names else own.most,
        (*own.gates, *given.gates),
    )
    return replace(settings, canary=made)


def chosen_run(data: Path, wanted: str | None) -> str:
    """The run that is asked for, else the one that was written to last."""
    if not data.is_dir():
        raise InputError(
            f"{data} is no folder; --live-dir is the folder of `ragstone serve --data`, where the "
            "mirror keeps its pairs"
        )
    known = runs_in(data)
    if wanted is None:
        return known[0] if known else RUN
    if known and wanted not in known:
        raise ConfigError(f"there is no run {wanted!r} in {data}{suggestion(wanted, known)}")
    return wanted


@contextmanager
def watching(data: Path, run: str, setup: CanarySetup) -> Iterator[CanaryWatch]:
    """The watched canary of a run, with nothing read yet."""
    watch = CanaryWatch(PairFiles(data, run), setup)
    try:
        yield watch
    finally:
        watch.close()


def hash_of(gold: CanaryGold) -> str:
    """What tells one gold set from another, as far as a canary reads it."""
    items = {
        qid: [sorted(map(sorted, item.groups)), item.anchor] for qid, item in gold.items.items()
    }
    return digest_of({"items": items, "asked": dict(gold.asked)})
