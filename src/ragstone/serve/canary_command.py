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


@contextmanager
def canary_setup(
    config: Config, settings: ServeSettings, gold: Sequence[str]
) -> Iterator[CanarySetup]:
    """By what pairs are judged; what is read of the gold sets is there inside."""
    beside = settings.canary.shadow_gold
    if beside and not gold:
        raise ConfigError(
            "a gold set for the shadow alone: give the one of the live index too (--gold)"
        )
    options = cast(RetrievalOptions, options_of(find_suite("canary"), config, {"gates": ()}))
    with Duck(1) as duck, Duck(1) as other:
        own = canary_gold(config, gold, duck)
        yield CanarySetup(
            plan=settings.canary.plan(),
            gold=own,
            shadow_gold=canary_gold(config, [beside], other) if beside else own,
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
        given.shadow_gold if "shadow_gold" in names else own.shadow_gold,
        given.at_least if "at_least" in names else own.at_least,
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


def hash_of(setup: CanarySetup) -> str:
    """What tells one gold set from another, as far as a canary reads it."""
    golds = {"live": _content(setup.gold)}
    if setup.shadow_gold is not setup.gold:
        golds["shadow"] = _content(setup.shadow_gold)
    return digest_of(golds)


def _content(gold: CanaryGold) -> dict[str, object]:
    items = {
        qid: [sorted(map(sorted, item.groups)), item.anchor] for qid, item in gold.items.items()
    }
    return {"items": items, "asked": dict(gold.asked)}
