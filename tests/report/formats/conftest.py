"""The pages of every suite, each written once for all tests that open it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from once_a_session import once
from report.suite_pages import write_inputs, write_page


@pytest.fixture(scope="session")
def page_of() -> Callable[[str], Path]:
    """The HTML page of a name in `suite_pages`, which is written when it is first asked for."""
    _, inputs = once("inputs_of_pages", write_inputs)

    def write(name: str, folder: Path) -> Path:
        return write_page(shutil.copytree(inputs, folder, dirs_exist_ok=True), name)

    return lambda name: once(f"page_{name}", partial(write, name))[0]
