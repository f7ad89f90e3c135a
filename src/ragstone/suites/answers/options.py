"""How answers are checked and scored: the options of the answers suite, and of those that use its
checks."""

from dataclasses import dataclass, replace

from ragstone.errors import ConfigError
from ragstone.suites.answers.refusal_rules import REFUSAL, refusal_rules
from ragstone.suites.answers.verdicts import Decimal, Judging, Keep, Missing
from ragstone.suites.judged_scores.judge_settings import JudgedOptions
from ragstone.suites.option_fields import option
from ragstone.suites.options import Options
from ragstone.suites.settings_tables import rules_from_table
from ragstone.suites.several_files import EveryLineCounts


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CheckOptions(Options):
    """What an answer is; every suite reads it from the same place of ragstone.toml."""

    scope: bool = option(
        True,
        "judge citations without asking whether they were retrieved",
        key="answers.scope",
    )
    refusal: tuple[str, ...] = option(
        (REFUSAL,),
        "what counts as a refusal: tokens, re:PATTERN, or a language pack such as @en",
        metavar="TOKEN",
        key="answers.refusal",
    )
    decimal: Decimal = option(
        ".",
        "the decimal mark of numbers in claims and gold; a typed answer may name its own",
        key="answers.decimal",
    )
    cite_pattern: str | None = option(
        None,
        "read citations from the text: the group of this pattern holds positions in retrieved_ids, "
        "or ids",
        metavar="REGEX",
        key="answers.cite_pattern",
    )
    cite_base: int = option(
        1,
        "the position of the first retrieved id, 0 or 1",
        metavar="N",
        least=0,
        most=2,
        key="answers.cite_base",
    )
    rules: tuple[tuple[str, str], ...] = option(
        (),
        "pairs of patterns: a locked constraint, and what contradicts it",
        flagless=True,
        key="scu.rules",
        table=rules_from_table,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        # It says what is wrong with tokens and rules before anything is read.
        _ = self.judging

    @property
    def judging(self) -> Judging:
        """What the checks of an answer need to know."""
        return Judging(
            scope=self.scope,
            refusal=self.refusal,
            decimal=self.decimal,
            rules=self.rules,
            cite_pattern=self.cite_pattern,
            cite_base=self.cite_base,
        )

    def settings(self) -> dict[str, object]:
        """With the versions of the packs: another version may judge a claim otherwise."""
        versions = refusal_rules(self.refusal).versions
        return {**super().settings(), **({"refusal_packs": versions} if versions else {})}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EveryLineOptions(CheckOptions, EveryLineCounts):
    """The same, where a question has many lines and each of them is judged."""

    @property
    def judging(self) -> Judging:
        return replace(super().judging, keep="all")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AnswersOptions(CheckOptions, JudgedOptions):
    """How answers are scored."""

    k: int = option(5, "how many retrieved ids count", metavar="K", least=1, most=1_000_001)
    missing: Missing = option("fail", "how a question that was not answered counts")
    keep: Keep = option("last", "which trace of a question is scored if it has several")
    scu: bool = option(
        False,
        "a broken constraint makes an answer wrong",
        flags=("--scu_enforced", "--scu-enforced"),
    )
    explain_refusals: bool = option(
        False, "list the refused claims, each with the rule that fired", group="showing", key=""
    )
    baseline: str | None = option(
        None,
        "what to compare with: another system (the first), or an earlier run: its rows (.parquet), "
        "its report (.json), its own inputs, or its accepted name",
        metavar="RUN",
        group="deciding",
        key="",
    )
    judge: str | None = option(
        None, "decide on this system alone", metavar="SYSTEM", group="deciding", key=""
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.keep != "all" and any(name == "pass_all" for name, _ in self.gates):
            raise ConfigError("gate pass_all needs --keep all: it looks at repeated questions")

    @property
    def judging(self) -> Judging:
        return replace(super().judging, k=self.k, missing=self.missing, keep=self.keep)
