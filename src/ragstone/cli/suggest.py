"""What somebody may have meant by a command or a flag that there is not."""

from __future__ import annotations

from collections.abc import Collection, Mapping

# Words that people type from other tools → what is nearest here; the first that a command has.
FLAGS: Mapping[str, tuple[str, ...]] = {
    "api-key": ("--header",),
    "assert": ("--gates",),
    "auth": ("--header",),
    "bearer": ("--header",),
    "dataset": ("--gold",),
    "docs-dir": ("--docs",),
    "endpoint": ("--target",),
    "env": ("--header",),
    "fail-under": ("--gates",),
    "filter": ("--tag", "--by"),
    "golden": ("--gold",),
    "group-by": ("--by",),
    "id": ("--qid",),
    "input": ("--trace", "--gold"),
    "jobs": ("--concurrency", "--threads"),
    "logs": ("--trace", "--log"),
    "max-concurrency": ("--concurrency",),
    "max-samples": ("--limit",),
    "metric": ("--gates", "--metrics"),
    "min": ("--gates",),
    "no-cache": ("--fresh",),
    "num-threads": ("--threads",),
    "outfile": ("--output",),
    "parallel": ("--concurrency", "--threads"),
    "predictions": ("--trace",),
    "qrels": ("--reference",),
    "questions": ("--gold",),
    "repeat": ("--seeds",),
    "report": ("--output",),
    "rps": ("--rate",),
    "sample": ("--limit",),
    "save": ("--output", "--record"),
    "silent": ("--quiet",),
    "slice": ("--by",),
    "temperature": ("--knobs",),
    "testset": ("--gold",),
    "threshold": ("--gates",),
    "thresholds": ("--gates",),
    "token": ("--header",),
    "top-k": ("--k",),
    "topk": ("--k",),
    "url": ("--target",),
    "wait": ("--timeout",),
    "workers": ("--concurrency", "--threads"),
}

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "ask": ("run",),
    "config": ("init",),
    "diff": ("compare",),
    "eval": ("score",),
    "evaluate": ("score",),
    "help": ("--help",),
    "history": ("trend",),
    "import": ("convert",),
    "lint": ("check",),
    "list": ("runs",),
    "new": ("init",),
    "report": ("render",),
    "start": ("demo",),
    "test": ("gate",),
    "validate": ("check",),
    "version": ("--version",),
}

# How much of two words must agree: `trhead` is --thread, and `header` is not.
_ALIKE = 0.8
_SHORTEST_PREFIX = 3


def meant(word: str, known: Collection[str], elsewhere: Mapping[str, tuple[str, ...]]) -> str:
    """`; did you mean '--gold'?`, or nothing where no known word is near enough.

    >>> meant("--trcae", ["--trace", "--threads"], FLAGS)
    "; did you mean '--trace'?"
    >>> meant("--header", ["--trace", "--threads"], FLAGS)
    ''
    """
    found = _nearest(_plain(word), {_plain(each): each for each in known}, elsewhere)
    return f"; did you mean {found!r}?" if found else ""


def _nearest(word: str, known: Mapping[str, str], elsewhere: Mapping[str, tuple[str, ...]]) -> str:
    if word in known:
        return known[word]
    for each in elsewhere.get(word, ()):
        if each in known.values() or (elsewhere is COMMANDS and each.startswith("-")):
            return each
    starts = [each for each in known if len(word) >= _SHORTEST_PREFIX and each.startswith(word)]
    plural = [each for each in known if word in (f"{each}s", f"{each}es")]
    if len(starts + plural) == 1:
        return known[(starts + plural)[0]]
    # Letters that changed places, as in `--glod`.
    swapped = [each for each in known if each[0] == word[:1] and sorted(each) == sorted(word)]
    # One wrong letter, as in `--plam`, is much of a short word.
    mistyped = [each for each in known if _differ_in_one(each, word)]
    if swapped or len(mistyped) == 1:
        return known[(swapped or mistyped)[0]]
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=1, cutoff=_ALIKE)
    return known[near[0]] if near else ""


def _differ_in_one(known: str, word: str) -> bool:
    """Whether one letter but the first is another; of a word that is too short, much would be."""
    if len(word) != len(known) or len(word) <= _SHORTEST_PREFIX or word[0] != known[0]:
        return False
    return sum(one != two for one, two in zip(known, word, strict=True)) == 1


def _plain(word: str) -> str:
    """A word without what people spell differently: dashes in front, case, `_` for `-`."""
    return word.lstrip("-").replace("_", "-").casefold()
