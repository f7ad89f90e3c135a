"""The commit, the branch, and whether the tree differs from it, as git tells them."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass

# Where CI checks out a commit and no branch, it names the branch in one of these.
_BRANCH = ("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME")
_SECONDS = 20


@dataclass(frozen=True, slots=True)
class GitFacts:
    """None each where there is no repository, or no git."""

    commit: str | None = None
    branch: str | None = None
    dirty: bool | None = None


def git_facts() -> GitFacts:
    """Those of the repository that the working folder is in."""
    commit = _git("rev-parse", "--verify", "HEAD")
    if commit is None:
        return GitFacts()
    # Files that git does not know are no change: traces and reports are made by every run.
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return GitFacts(commit, _branch(), None if changed is None else bool(changed))


def user_name() -> str | None:
    """Who commits here, as git's settings name them."""
    return _git("config", "user.name") or None


def _branch() -> str | None:
    named = (os.environ.get(name) for name in _BRANCH)
    return _git("branch", "--show-current") or next(filter(None, named), None)


def _git(*words: str) -> str | None:
    try:
        ran = subprocess.run(
            # A repository's own settings may name programs to run: its file monitor is left out.
            ["git", "-c", "core.fsmonitor=false", *words],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout.decode("utf-8", "replace").strip() if ran.returncode == 0 else None
