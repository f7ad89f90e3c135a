"""A Python as a CI job finds one: without Ragstone, and able to install it without a network."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def build_wheel(folder: Path) -> Path:
    """The wheel of this project, made by its own builder."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=PROJECT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def fresh_python(folder: Path) -> dict[str, str]:
    """The environment of a job whose `python` is a new one in this folder.

    It sees the packages of the tests, so that pip finds there what Ragstone needs. It cannot import
    Ragstone itself: a link to a checkout is not followed from here.
    """
    venv = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(venv, check=True)
    bases = {"base": str(folder), "platbase": str(folder)}
    own = Path(sysconfig.get_path("purelib", "venv", vars=bases))
    own.joinpath("packages_of_the_tests.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    kept = {"HOME": str(folder), "LANG": "C.UTF-8", "PIP_NO_INDEX": "1", "PIP_NO_INPUT": "1"}
    return {**kept, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}


def reaches_an_index(folder: Path) -> bool:
    """Whether pip can fetch a small package that this project builds with."""
    download = ["download", "--quiet", "--no-deps", "--no-cache-dir", "-d", str(folder)]
    asked = [sys.executable, "-m", "pip", *download, "editables"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0
