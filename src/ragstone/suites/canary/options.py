"""How a shadow index is compared with the live one: the options of the canary."""

from dataclasses import dataclass

from ragstone.suites.options import option
from ragstone.suites.retrieval.options import RetrievalOptions


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CanaryOptions(RetrievalOptions):
    """How a shadow index is compared with the live one."""

    allow_mismatch: bool = option(
        False, "compare logs of different normalisers or rerankers", key=""
    )
