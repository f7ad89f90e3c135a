"""How production traces are audited: the options of the audit suite."""

from dataclasses import dataclass

from ragstone.errors import ConfigError
from ragstone.matching.language_packs import LANGUAGES
from ragstone.suites.answers.options import CheckOptions
from ragstone.suites.answers.refusal_rules import REFUSAL
from ragstone.suites.judged_scores.judge_settings import JudgedOptions
from ragstone.suites.option_fields import option
from ragstone.suites.several_files import EveryLineCounts


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AuditOptions(CheckOptions, JudgedOptions, EveryLineCounts):
    """How traces are judged without gold; what a refusal is, and scope, is said for answers."""

    refusal: tuple[str, ...] = option(
        (REFUSAL, *(f"@{language}" for language in LANGUAGES)),
        "what counts as a refusal: tokens, re:PATTERN, or language packs (all of them)",
        metavar="TOKEN",
        key="answers.refusal",
    )
    sample_rate: float = option(
        1.0, "the share of all traffic that was logged; counts are scaled by it", metavar="R"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.sample_rate <= 1:
            raise ConfigError(
                f"sample_rate: expected a number above 0, up to 1, found {self.sample_rate!r}"
            )
