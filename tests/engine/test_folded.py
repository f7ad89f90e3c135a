"""`folded(s)` in the engine is the text without the white space around it, folded, as in Python."""

from __future__ import annotations

import pytest

from ragstone.engine.duck import Duck
from ragstone.engine.fold import WHITE_SPACE, folded, install

TEXTS = ("", " ", "Why?", "WHY? ", "　Straße\n", "a\nb", "a \n b\n\n")


@pytest.mark.parametrize("text", [*TEXTS, *(f"{each}A{each}" for each in WHITE_SPACE)])
def test_it_is_what_python_makes_of_it(text: str) -> None:
    with Duck(1) as duck:
        install(duck)
        assert duck.texts("select folded($text)", {"text": text}) == (folded(text),)
