"""The pages of every suite, each written once for all tests that open it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from report.suite_pages import write_inputs, write_page


@pytest.fixture(scope="session")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The HTML page of a name in `suite_pages`, which is written when it is first asked for."""
    folder = tmp_path_factory.mktemp("pages")
    write_inputs(folder)
    return cache(lambda name: write_page(folder, name))
