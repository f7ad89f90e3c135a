"""How labels are derived from traces: the options of the agreement suite."""

from dataclasses import dataclass, replace

from ragstone.suites.answers.options import CheckOptions
from ragstone.suites.answers.verdicts import Judging, Keep, Missing
from ragstone.suites.option_fields import option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AgreementOptions(CheckOptions):
    """How labels are derived from traces, where they are: as answers are checked."""

    missing: Missing = option(
        "fail", "how a question that was not answered counts", key="answers.missing"
    )
    keep: Keep = option(
        "last", "which trace of a question is scored if it has several", key="answers.keep"
    )

    @property
    def judging(self) -> Judging:
        return replace(super().judging, missing=self.missing, keep=self.keep)
