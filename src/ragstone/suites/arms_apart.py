"""The files behind the inputs that were given, and the arms that they make.

The files of one input may each be an arm: `--raters ann.jsonl ben.jsonl` names two of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragstone.contracts.sources import Source, find
from ragstone.engine.duck import Duck
from ragstone.suites.declaration import AnySuite, Arm, Input


def sources_of(
    suite: AnySuite, inputs: Mapping[str, Any], duck: Duck
) -> tuple[dict[str, tuple[Source, ...]], tuple[Arm, ...]]:
    """The files behind what was given; a dictionary from name to input makes an arm of each."""
    found: dict[str, tuple[Source, ...]] = {}
    arms: list[Arm] = []
    for each in suite.inputs:
        given: Any = inputs.get(each.name)
        if given is None and not each.required:
            continue
        if each.apart:
            arms += arms_apart(each, given, duck.scratch)
        elif each.arms and isinstance(given, Mapping):
            for number, (name, files) in enumerate(given.items()):
                some = find(files, each.name, duck.scratch)
                arms.append(Arm(str(name), f"{each.name}_{number}", some))
        else:
            found[each.name] = find(given, each.name, duck.scratch)
            continue
        found[each.name] = tuple(source for arm in arms for source in arm.sources)
    return found, tuple(arms)


def arms_apart(given: Input, files: Any, scratch: Path) -> tuple[Arm, ...]:
    """An arm per item of a list, called like its file, or per name of a dictionary."""
    if isinstance(files, Mapping):
        named = [(str(name), each) for name, each in files.items()]
    else:
        items = [files] if isinstance(files, str | Path) else list(files)
        named = list(zip(names_of(items, given.noun), items, strict=True))
    return tuple(
        Arm(name, f"{given.name}_{place}", find(each, f"{given.noun} {place + 1}", scratch))
        for place, (name, each) in enumerate(named)
    )


def names_of(items: Sequence[object], noun: str) -> list[str]:
    """The names of files, numbered where these are the same; what is no file has a number only.

    >>> names_of(["a/ann.jsonl", "b/ann.jsonl", "cy.jsonl.gz", [{"qid": "a"}]], "rater")
    ['ann 1', 'ann 2', 'cy', 'rater 4']
    """
    stems = [
        Path(item).name.split(".")[0] or str(item)
        if isinstance(item, str | Path)
        else f"{noun} {place}"
        for place, item in enumerate(items, 1)
    ]
    return [
        stem if stems.count(stem) == 1 else f"{stem} {stems[: place + 1].count(stem)}"
        for place, stem in enumerate(stems)
    ]
