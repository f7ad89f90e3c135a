"""Write ragstone.toml, an example gold set, traces that go with it, a .gitignore and a CI job.
Files that exist are left alone."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import suppress
from importlib import resources
from pathlib import Path

from ragstone.cli.common import say
from ragstone.cli.flags import flag
from ragstone.errors import InputError
from ragstone.suites.config_file import FILE_NAME
from ragstone.suites.pyproject_table import PROJECT_FILE, has_settings

# where it goes → the template it comes from
GOLD = "eval/gold.jsonl"
TRACE = "runs/trace.jsonl"
IGNORED = ".gitignore"
FILES = {
    FILE_NAME: "ragstone.toml",
    GOLD: "gold.jsonl",
    TRACE: "trace.jsonl",
    IGNORED: "gitignore",
}
INCLUDED = ".gitlab/ragstone.yml"
CI_FILES = {
    "github": {".github/workflows/ragstone.yml": "workflow.yml"},
    "gitlab": {INCLUDED: "gitlab.yml", ".gitlab-ci.yml": "gitlab-include.yml"},
    "none": {},
}


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "DIR", "the folder to write to (here)", nargs="?", default=".")
    flag(parser, "--ci", "the CI to write a job for", choices=tuple(CI_FILES), default="github")


def run(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.dir)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give a folder")
    wanted = {**FILES, **CI_FILES[arguments.ci]}
    kept = {place for place in wanted if (folder / place).exists()}
    for place, name in wanted.items():
        target = folder / place
        if place in kept:
            say(f"kept   {target} (it exists)")
        elif place == FILE_NAME and has_settings(folder / PROJECT_FILE):
            kept.add(place)
            say(f"kept   {folder / PROJECT_FILE} (it has [tool.ragstone])")
        elif place != TRACE or kept.isdisjoint((FILE_NAME, GOLD)):
            # The example traces answer the example questions, and no others.
            _put(target, _template(name) if name != FILE_NAME else _settings(folder))
            say(f"wrote  {target}")
    if not arguments.quiet:
        for line in _next(folder, arguments.ci, kept):
            # A line that goes on with the one above is indented.
            say(f"{'     ' if line.startswith('  ') else 'next:  '}{line}")
    return 0


def _template(name: str) -> str:
    return resources.files("ragstone.cli").joinpath("templates", name).read_text(encoding="utf-8")


def _settings(folder: Path) -> str:
    """ragstone.toml, with the language packs that the gold set of the folder asks for."""
    from ragstone.matching.language_packs import languages_of

    others = [each for each in languages_of(_questions(folder / GOLD)) if each != "en"]
    packs = "".join(f', "@{each}"' for each in others)
    return _template(FILE_NAME).replace('"@en"]', f'"@en"{packs}]')


def _questions(gold: Path) -> list[str]:
    """What the gold set asks, if there is one that can be read: what is wrong with it, other
    commands say."""
    from ragstone.contracts.strict_json import NotJson, parse

    found = []
    with suppress(OSError, NotJson):
        for line in gold.read_bytes().splitlines():
            item = parse(line, explain=False)
            question = item.get("question") if isinstance(item, dict) else None
            found += [question] if isinstance(question, str) else []
    return found


def _put(target: Path, text: str) -> None:
    from ragstone.files import write

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{target.parent} cannot be made: {error.strerror}") from None
    write(target, text)


def _next(folder: Path, ci: str, kept: set[str]) -> Iterator[str]:
    """What is left to do, in order."""
    if kept.isdisjoint((FILE_NAME, GOLD, TRACE)):
        yield "ragstone gate" if folder == Path() else f"cd {folder} && ragstone gate"
        yield f"  It fails on purpose: line 3 of {TRACE} answers a question that has no answer."
        yield '  Make that claim "not in context", and it passes.'
    yield f"put your questions into {GOLD}, and have your pipeline log to {TRACE}"
    if IGNORED in kept:
        missing = _not_ignored(folder / IGNORED)
        if missing:
            yield f"add to {IGNORED}: {' '.join(missing)}"
    if ".gitlab-ci.yml" in kept:
        yield f"add to .gitlab-ci.yml: include: [{{local: {INCLUDED}}}]"
    if ci != "none":
        yield "set the variable RAGSTONE_SOURCE of your CI to where Ragstone is installed from:"
        yield "  a path, a wheel or a git address"


def _not_ignored(file: Path) -> list[str]:
    """The lines of the template that a .gitignore of the user's does not have."""
    try:
        held = {line.strip().strip("/") for line in file.read_text("utf-8", "replace").splitlines()}
    except OSError:
        held = set()
    lines = _template("gitignore").splitlines()
    return [line for line in lines if line[0] != "#" and line.strip("/") not in held]
