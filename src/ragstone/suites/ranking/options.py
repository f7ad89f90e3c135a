"""What can be told to every suite that judges rankings."""

from dataclasses import dataclass

from ragstone.suites.option_fields import option
from ragstone.suites.options import Options


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RankedOptions(Options):
    """What can be told to every suite that judges rankings."""

    # `level` is the level of intervals in every suite; users call this one -l and `level` too.
    grade: int = option(
        1,
        "the grade from which on a document is relevant",
        flags=("-l", "--level"),
        key="level",
        called="level",
        metavar="N",
        least=1,
        most=2**31,
    )
    baseline: str | None = option(
        None,
        "whom the other systems are compared with (the first); or an earlier run: its rows "
        "(.parquet), its report (.json) or its own inputs",
        metavar="NAME",
    )
