"""Packages that only some commands need: how to install one that is missing."""

from __future__ import annotations

import re


def install_line(package: str) -> str:
    """The command that installs a package in a version that was tried with this one.

    It names the package itself and not an extra of ours: pip would look an extra up on the package
    index, where another package may have our name.

    >>> install_line("rapidfuzz")
    "pip install 'rapidfuzz>=3.9'"
    """
    return f"pip install '{_requirement(package)}'"


def _requirement(package: str) -> str:
    """The package with its bounds from our own metadata; alone where there is no metadata."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        listed = requires("ragstone") or []
    except PackageNotFoundError:
        listed = []
    for each in listed:
        wanted = each.partition(";")[0].strip()
        found = re.match(r"[\w.-]+", wanted)
        if found and found.group() == package:
            return wanted
    return package
