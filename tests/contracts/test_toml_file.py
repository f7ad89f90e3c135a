"""What is said of a file that is not TOML: the same words on every version of Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragstone.contracts.toml_file import read_toml
from ragstone.errors import ConfigError

pytestmark = pytest.mark.python

SAID = {
    "not toml": "expected = after a key (line 1, column 5: 'not toml')",
    "[a]\nk = 1\nk = 2\n": "the key is already there (line 3, column 6: 'k = 2')",
    "[a]\n[b]\n[a]\n": "the table is already there (line 3, column 3: '[a]')",
    "k = yes": "expected a value; text stands in quotes (line 1, column 5: 'k = yes')",
    "k = [1 2]": "expected a comma or the ] of a list (line 1, column 8: 'k = [1 2]')",
    "k = 'a": "a string is not closed (at the end of the file)",
    "k = '''a": "a string is not closed (at the end of the file)",
    "[a\nk = 1": "the [ of a table's name is not closed (line 1, column 3: '[a')",
    "k = 1 2": "expected the end of the line after a value (line 1, column 7: 'k = 1 2')",
    "k = 1" + "0" * 5000: "a number is too long",
    "k = " + "[" * 50_000: "a list or table is nested too deep",
}


@pytest.mark.parametrize("text", SAID, ids=lambda text: text[:20])
def test_the_words_are_ours(text: str, tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        read_toml(path)
    assert str(error.value) == f"{path} is not valid TOML: {SAID[text]}"
