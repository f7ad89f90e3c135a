"""Which accepted run this job compares with, or makes: by the event that started the workflow.

A pull request (or a merge queue) is compared with the accepted run of its base branch. A passing
run of a branch itself (push, schedule, by hand) becomes the accepted run of that branch.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import NoReturn

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
BY_A_BRANCH_ITSELF = ("push", "schedule", "workflow_dispatch")
BEFORE_A_MERGE = ("pull_request", "pull_request_target", "merge_group")


def main() -> None:
    gate = os.environ["GATE_ID"]
    if not ID.fullmatch(gate):
        refuse("the input id may have up to 40 letters, digits, dots, dashes and underscores")
    own = os.environ["GITHUB_REF_NAME"] if os.environ["GITHUB_REF_TYPE"] == "branch" else ""
    event = os.environ["GITHUB_EVENT_NAME"]
    branch = os.environ["GATE_NAME"] or (base_of(event) if event in BEFORE_A_MERGE else own)
    accept = event in BY_A_BRANCH_ITSELF and bool(own) and branch == own
    compare = bool(branch) and not accept and os.environ["GATE_COMPARE"] == "true"

    folder = Path(os.environ["RUNNER_TEMP"], f"ragstone-{gate}")
    # What an earlier use in the same job left there is not the base branch's.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # The names of branches may hold what keys and files may not, and one may begin with another.
    known = hashlib.sha256(f"{gate}\0{branch}".encode()).hexdigest()[:16]
    prefix = f"ragstone-{gate}-{known}-"
    write_outputs(
        {
            "folder": str(folder),
            "accepted": str(folder / "accepted"),
            "branch": " ".join(branch.split()),
            "name": name_of(branch),
            "compare": str(compare).lower(),
            "accept": str(accept).lower(),
            "restore-key": prefix,
            "key": f"{prefix}{os.environ['GITHUB_RUN_ID']}-{os.environ['GITHUB_RUN_ATTEMPT']}",
        }
    )


def base_of(event: str) -> str:
    """The branch that the change is to be merged into."""
    if event != "merge_group":
        return os.environ["GITHUB_BASE_REF"]
    told = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    return str(told["merge_group"]["base_ref"]).removeprefix("refs/heads/")


def name_of(branch: str) -> str:
    """The branch as a name that a run can be accepted under, and that no file will have.

    >>> name_of("release/1.2")
    'base-release-1.2'
    """
    return "base-" + re.sub(r"[^A-Za-z0-9._-]+", "-", branch).strip("-._")[:60]


def write_outputs(values: dict[str, str]) -> None:
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as outputs:
        outputs.writelines(f"{name}={value}\n" for name, value in values.items())


def refuse(says: str) -> NoReturn:
    print(f"::error title=ragstone::{says}")
    sys.exit(2)


if __name__ == "__main__":
    main()
