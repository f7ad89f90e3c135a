"""An app behind a mirror whose shadow never answers, for a uvicorn that is a process of its own."""

from __future__ import annotations

import os

from shadow.running_app import plain_app

from ragstone.shadow import Mirror

app = Mirror(
    plain_app,
    "py:shadow.shadows:stuck",
    share=1.0,
    data=os.environ.get("PAIRS", "pairs"),
    closing=0.2,
)
