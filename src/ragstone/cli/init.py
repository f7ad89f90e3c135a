"""Write ragstone.toml, an example gold set and a CI job; existing files are left alone."""

from __future__ import annotations

import argparse
from importlib import resources
from pathlib import Path

from ragstone.cli.common import say
from ragstone.cli.flags import flag
from ragstone.errors import InputError
from ragstone.suites.config_file import FILE_NAME
from ragstone.suites.pyproject_table import PROJECT_FILE, has_settings

# where it goes → the template it comes from
FILES = {
    FILE_NAME: "ragstone.toml",
    "eval/gold.jsonl": "gold.jsonl",
}
INCLUDED = ".gitlab/ragstone.yml"
CI_FILES = {
    "github": {".github/workflows/ragstone.yml": "workflow.yml"},
    "gitlab": {INCLUDED: "gitlab.yml", ".gitlab-ci.yml": "gitlab-include.yml"},
    "none": {},
}
# What runs leave behind. Whether git keeps it is for the user to say, in a file that is the user's.
LEFT_BEHIND = (".ragstone/", "runs/", "report.*")


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "DIR", "where to (here)", nargs="?", default=".")
    flag(parser, "--ci", "the CI to write a job for", choices=tuple(CI_FILES), default="github")


def run(arguments: argparse.Namespace) -> int:
    from ragstone.files import write

    folder = Path(arguments.dir)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give a folder")
    templates = resources.files("ragstone.cli").joinpath("templates")
    kept = set()
    for place, name in {**FILES, **CI_FILES[arguments.ci]}.items():
        target = folder / place
        if target.exists():
            kept.add(place)
            say(f"kept   {target} (it exists)")
            continue
        if place == FILE_NAME and has_settings(folder / PROJECT_FILE):
            say(f"kept   {folder / PROJECT_FILE} (it has [tool.ragstone])")
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{target.parent} cannot be made: {error.strerror}") from None
        write(target, templates.joinpath(name).read_text(encoding="utf-8"))
        say(f"wrote  {target}")
    if not arguments.quiet:
        for line in _next(arguments.ci, kept):
            say(f"next:  {line}")
    return 0


def _next(ci: str, kept: set[str]) -> list[str]:
    """What is left to do, in order."""
    steps = [
        "put your questions into eval/gold.jsonl, have your pipeline log to runs/trace.jsonl, "
        "then run: ragstone gate",
        f"tell git to ignore what runs leave behind, in .gitignore: {' '.join(LEFT_BEHIND)}",
    ]
    if ".gitlab-ci.yml" in kept:
        steps.append(f"add to .gitlab-ci.yml: include: [{{local: {INCLUDED}}}]")
    if ci != "none":
        steps.append(
            "set the variable RAGSTONE_SOURCE of your CI to where Ragstone is installed from: "
            "a path, a wheel or a git address"
        )
    return steps
