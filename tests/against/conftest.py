from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def nothing_is_small() -> Iterator[None]:
    """The authority alone would read a small file, and the proofs would never be seen at work."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragstone.engine.read_lines._SMALL", 0)
        yield
