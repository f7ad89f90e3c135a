"""What the tests of the five documents share: the page's three questions, and a user's shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import Folder, Ran

Line = dict[str, Any]
Shell = Callable[[str], Ran]

GOLD: tuple[Line, ...] = (
    {
        "qid": "A0001",
        "question": "Does X support null keys?",
        "answerable": True,
        "gold_claim_substr": ["rejects null keys"],
        "gold_citations": ["p1#2"],
        "constraints": ["X rejects null keys."],
    },
    {
        "qid": "A0002",
        "question": "Explain Z.",
        "answerable": False,
        "gold_claim_substr": [],
        "gold_citations": [],
    },
    {
        "qid": "A0003",
        "question": "What domain is allowed?",
        "answerable": True,
        "gold_claim_substr": ["only domain example.com"],
        "gold_citations": ["pB#1"],
    },
)
TRACE: tuple[Line, ...] = (
    {
        "qid": "A0001",
        "q": "Does X support null keys?",
        "retrieved_ids": ["p1#1", "p1#2", "p2#1"],
        "answer_json": {"claim": "X rejects null keys.", "citations": ["p1#2"]},
    },
    {
        "qid": "A0002",
        "q": "Explain Z.",
        "retrieved_ids": ["p1#1", "p2#1"],
        "answer_json": {"claim": "not in context", "citations": []},
    },
    {
        "qid": "A0003",
        "q": "What domain is allowed?",
        "retrieved_ids": ["pB#1", "p1#2"],
        "answer_json": {"claim": "Only domain example.com is allowed.", "citations": ["pB#1"]},
    },
)
# Where jq is not installed, Python says the same of a file with one JSON object in it.
WITHOUT_JQ = """
jq() { python -c 'import json, sys
passed = json.load(open(sys.argv[1]))["pass"] is True
print(json.dumps(passed)); sys.exit(not passed)' "$3"; }
"""


@pytest.fixture
def gold() -> list[Line]:
    """The gold set of the evaluation page."""
    return [dict(item) for item in GOLD]


@pytest.fixture
def traces() -> list[Line]:
    """The traces of the evaluation page."""
    return [dict(line) for line in TRACE]


@pytest.fixture
def shell(folder: Folder) -> Shell:
    """Runs a script in bash, in the folder, where `python` is the one that runs these tests."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    def run(script: str) -> Ran:
        ran = subprocess.run(
            ["bash", "-c", script if shutil.which("jq") else WITHOUT_JQ + script],
            capture_output=True,
            cwd=folder.work,
            env={**os.environ, "PATH": path},
            check=False,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr.decode())

    return run
