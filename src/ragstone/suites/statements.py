"""SQL that stands in files beside the code that runs it."""

from __future__ import annotations

from importlib import resources


def sql_of(package: str, file: str, /, **parts: str) -> str:
    """A statement from a package's folder, or given as it is, with its {parts} filled in."""
    text = file
    if file.endswith(".sql"):
        text = resources.files(package).joinpath(file).read_text(encoding="utf-8")
    for key, value in parts.items():
        text = text.replace(f"{{{key}}}", value)
    return text
