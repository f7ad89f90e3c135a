"""The formats a report can be written in, and which of them a file name asks for.

The renderers are modules of this package. They load rich or jinja2, so each is imported when a
report is rendered in its format and not before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.errors import ConfigError, InputError

if TYPE_CHECKING:
    from ragstone.report.model import Report

WIDTH = 100


# From the name of a format to the module that renders it, and the file extensions it has.
FORMATS = {
    "terminal": ("terminal", (".txt",)),
    "json": ("json_text", (".json",)),
    "markdown": ("markdown_text", (".md", ".markdown")),
    "html": ("html_page", (".html", ".htm")),
    "junit": ("junit", (".xml",)),
    "sarif": ("sarif", (".sarif", ".sarif.json")),
    "github": ("github", ()),
}

# What people type for them.
ALIASES = {"txt": "terminal", "text": "terminal", "md": "markdown", "annotations": "github"}


# Verdict rows are no report: they are written by the engine that holds them.
ROWS = (".parquet", ".csv")


def wants_rows(name: str) -> bool:
    """Whether a file's extension asks for the verdict rows."""
    return Path(name).suffix.lower() in ROWS


def format_of(path: str | Path) -> str:
    """The format that a file's extension asks for.

    >>> format_of("out/Report.HTML"), format_of("scan.sarif.json"), format_of("r.json")
    ('html', 'sarif', 'json')
    """
    name = Path(path).name.lower()
    kinds = {extension: kind for kind, (_, every) in FORMATS.items() for extension in every}
    # The longest first: `scan.sarif.json` is SARIF.
    for extension in sorted(kinds, key=len, reverse=True):
        if name.endswith(extension):
            return kinds[extension]
    known = ", ".join((*kinds, *ROWS))
    raise InputError(f"{path}: no format is known for this extension; there are {known}")


def render(report: Report, format: str) -> str:
    """The report in one format, by name, as one text."""
    return "".join(streamed(report, format))


def streamed(
    report: Report,
    format: str,
    *,
    color: bool = False,
    width: int = WIDTH,
    files: Sequence[str] = (),
) -> Iterable[str]:
    """What `render` gives, in parts as they are ready: long lists come row by row.

    `color`, `width` and `files`, where the report was written, matter to the terminal only.
    """
    name = ALIASES.get(format, format)
    if name not in FORMATS:
        from ragstone.gates.judge import suggestion

        hint = suggestion(format, [*FORMATS, *ALIASES], f"there are {', '.join(FORMATS)}")
        raise ConfigError(f"no format is called {format!r}{hint}")
    renderer = import_module(f"{__name__}.{FORMATS[name][0]}")
    if name == "terminal":
        lines: Iterable[str] = renderer.streamed(report, color=color, width=width, files=files)
        return lines
    if hasattr(renderer, "streamed"):
        parts: Iterable[str] = renderer.streamed(report)
        return parts
    return (renderer.render(report),)
