#!/usr/bin/env python3
"""Does the Dockerfile work, where no image can be built? Runs its steps in a folder, and the demo.

    image_steps.py     (exits 1 if a step fails, and with the demo's code otherwise)

The steps are read from the file: COPY takes what .dockerignore lets through, and RUN runs what
Python does, both with the folder in front of absolute paths. What only an image has (users, labels,
a base image) is passed over, and said. Then the entry point runs the demo, as the user of the last
stage where this process may choose one.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
# The folders of the image that steps name.
FOLDERS = re.compile(r"(?<![\w.$}])/(opt|src|data)\b")
USER = re.compile(r"^USER (\d+)", re.MULTILINE)
# pip finds what it needs as it does outside; nothing else comes along.
KEPT = ("HOME", "PATH", "PIP_", "SSL_", "http", "HTTP", "TMPDIR")


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """The instructions of a Dockerfile, each with its words; a backslash joins lines.

    >>> list(instructions("# one\\nFROM a AS b\\nRUN x \\\\\\n    && y\\n"))
    [('FROM', 'a AS b'), ('RUN', 'x     && y')]
    """
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", "").splitlines():
        word, _, rest = line.strip().partition(" ")
        if word:
            yield word.upper(), rest.strip()


@dataclass(slots=True)
class Stand:
    """The folder that stands for the image, and what the steps so far have set."""

    root: Path
    folder: str = "/"
    user: int | None = None
    environment: dict[str, str] = field(default_factory=dict)

    def inside(self, text: str) -> str:
        """A text with the folder in front of the image's absolute paths."""
        return FOLDERS.sub(rf"{self.root}/\1", text)

    @property
    def here(self) -> Path:
        return Path(self.inside(self.folder))


def main() -> int:
    text = (PROJECT / "Dockerfile").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="ragstone-image-") as name:
        stand = Stand(Path(name))
        stand.root.chmod(0o755)
        programs = stand.root / "programs"
        programs.mkdir()
        # `python` is that of the base image.
        (programs / "python").symlink_to(base_python(int(USER.findall(text)[-1])))
        stand.environment = {
            key: value for key, value in os.environ.items() if key.startswith(KEPT)
        }
        stand.environment["PATH"] = f"{programs}:{stand.environment['PATH']}"
        for word, rest in instructions(text):
            carry_out(stand, word, rest)
        entry = json.loads(dict(instructions(text))["ENTRYPOINT"])
        return demo(stand, entry)


def base_python(user: int) -> str:
    """The Python that stands for the base image's: this one, or one that the user may run, too."""
    works = "import ensurepip, sys; sys.exit(sys.version_info < (3, 11))"
    for candidate in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        if os.geteuid() == 0 and started_by(user, [candidate, "-c", works]):
            return candidate
    return sys.executable


def started_by(user: int, words: list[str]) -> bool:
    """Whether a user can run a command."""
    try:
        ran = subprocess.run(words, user=user, group=user, extra_groups=[], capture_output=True)
    except OSError:
        return False
    return ran.returncode == 0


def carry_out(stand: Stand, word: str, rest: str) -> None:
    """One instruction, as far as a folder can stand for an image."""
    if word == "WORKDIR":
        stand.folder = rest
        stand.here.mkdir(parents=True, exist_ok=True)
    elif word == "ENV":
        for pair in shlex.split(rest):
            key, _, value = pair.partition("=")
            known = re.sub(r"\$(\w+)", lambda name: stand.environment.get(name[1], ""), value)
            stand.environment[key] = stand.inside(known)
    elif word == "USER":
        stand.user = int(rest.partition(":")[0])
    elif word == "COPY" and not rest.startswith("--from="):
        *sources, target = rest.split()
        for source in sources:
            copy(source, stand.here / target)
    elif word == "RUN" and "python" in rest:
        print(f"RUN {rest}", flush=True)
        run(stand, ["sh", "-euc", stand.inside(rest)], check=True)
    elif word in ("RUN", "FROM", "LABEL"):
        print(f"passed over, for only an image has it: {word} {rest}", flush=True)


def copy(source: str, target: Path) -> None:
    """A file or a folder of the project, if .dockerignore lets it through."""
    rules = (PROJECT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    sent = [rule[1:] for rule in rules if rule.startswith("!")]
    if not any(source == rule or source.startswith(f"{rule}/") for rule in sent):
        raise SystemExit(f"COPY {source}: .dockerignore does not let it through")
    path = PROJECT / source
    if path.is_dir():
        shutil.copytree(path, target, ignore=shutil.ignore_patterns("__pycache__"))
        return
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, target / path.name)


def run(
    stand: Stand, words: list[str], *, check: bool = False, user: int | None = None
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            words,
            cwd=stand.here,
            env=stand.environment,
            check=check,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"a step of the Dockerfile failed with {error.returncode}") from None


def demo(stand: Stand, entry: list[str]) -> int:
    """The demo, and that nothing of the build is where the entry point is."""
    if not stand.user:
        raise SystemExit("the last stage runs as root")
    python = str(stand.root / "opt" / "ragstone" / "bin" / "python")
    user = None
    if os.geteuid() == 0 and started_by(stand.user, [python, "-c", ""]):
        user = stand.user
        print(f"the demo runs as user {user}", flush=True)
        for folder in (stand.here, stand.root / "tmp"):
            folder.mkdir(exist_ok=True)
            os.chown(folder, user, user)
        stand.environment["TMPDIR"] = str(stand.root / "tmp")
    else:
        print(f"not as user {stand.user}, whom this process cannot start a Python as", flush=True)
    installed = stand.root / "opt" / "ragstone"
    for name in ("hatchling", "pip"):
        if list(installed.glob(f"lib/*/site-packages/{name}")):
            raise SystemExit(f"the image would hold {name}")
    before = state(installed)
    ended = run(stand, [*entry, "demo"], user=user).returncode
    # The stages stand in one folder here, so the command has what its target `serve` installs.
    ended = ended or run(stand, [*entry, "serve", "--get", "/runs.json"], user=user).returncode
    if state(installed) != before:
        raise SystemExit("a run writes into its own installation")
    print(f"the demo ended with {ended}", flush=True)
    return ended


def state(folder: Path) -> Mapping[str, int]:
    """Every file with its time."""
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*")}


if __name__ == "__main__":
    raise SystemExit(main())
