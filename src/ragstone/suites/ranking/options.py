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
        "documents of this grade or above are relevant",
        flags=("-l", "--level"),
        key="level",
        called="level",
        metavar="N",
        least=1,
        most=2**31,
    )
    baseline: str | None = option(
        None,
        "what to compare with: another system (the first), or an earlier run: its rows (.parquet), "
        "its report (.json), its own inputs, or its accepted name",
        metavar="RUN",
        group="deciding",
    )
    no_repeats: bool = option(
        False,
        "a document that a system names twice for a question is an error",
        hashed=False,
    )

    @property
    def refuses_repeats(self) -> bool:
        """Whether a repeated document is an error; `strict` has always said that here too."""
        return self.no_repeats or self.strict
