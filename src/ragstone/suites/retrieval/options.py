"""How an index is judged: the options of the retrieval suite."""

from dataclasses import dataclass
from typing import Literal, TypeVar

from ragstone.embedders.embed import DEFAULT_EMBEDDER
from ragstone.errors import ConfigError
from ragstone.matching.user_patterns import checked
from ragstone.suites.option_fields import option
from ragstone.suites.retrieval.metrics import KS
from ragstone.suites.several_files import EveryLineCounts

Unit = Literal["bytes", "codepoints", "utf16"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RetrievalOptions(EveryLineCounts):
    """How an index is judged."""

    unit: Unit = option("bytes", "what offsets count; others are converted with the texts")
    embedder: str = option(
        DEFAULT_EMBEDDER, "what computes ΔS where the log has none", metavar="NAME"
    )
    allow_download: bool = option(False, "let the embedder fetch its model", key="", hashed=False)
    delta_s_line: float | None = option(
        None, "the calibrated ΔS line, as `ragstone retrieval calibrate` writes it", flagless=True
    )
    delta_s_line_for: str | None = option(
        None,
        "the embedder that the line was learned with, the only one it holds for",
        flagless=True,
    )
    index_only: bool = option(
        False,
        "the logs hold no answers: do not gate coverage and citation accuracy",
        group="deciding",
    )

    section_pattern: str | None = option(
        None, "reads the section from ids of another shape: RE2, one group", metavar="REGEX"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        own = self.section_pattern
        if own is not None and checked(own, "section_pattern").groups != 1:
            raise ConfigError(f"section_pattern: {own!r} needs one group, which is the section")
        line = self.delta_s_line
        if line is not None and not 0 < line <= 1:
            raise ConfigError(f"delta_s_line: expected a number above 0, up to 1, found {line!r}")

    def settings(self) -> dict[str, object]:
        return {"k": list(KS), "allow_mismatch": False, **super().settings()}


R = TypeVar("R", bound=RetrievalOptions)
