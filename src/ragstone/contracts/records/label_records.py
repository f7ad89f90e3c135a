"""Labels: validators', as merged pairs or one file each, and people's; one JSON object a line."""

from __future__ import annotations

from ragstone.contracts.records import choices, named

PAIRS = named("pairs")
LABEL = named("labels")
PEOPLE = named("people")
JUDGED = named("judged")
JUDGE_LABELS = named("judge_labels")

# INVALID is another spelling of REJECT.
SPELLINGS = tuple(choices("labels"))
LABELS = tuple(dict.fromkeys(choices("labels").values()))
