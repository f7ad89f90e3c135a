import subprocess
import sys
from pathlib import Path

import pytest
from report.report_builder import report

from ragstone.errors import ConfigError, InputError
from ragstone.report.formats import ALIASES, FORMATS, format_of, render


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("report.txt", "terminal"),
        ("report.json", "json"),
        ("a.b/report.MD", "markdown"),
        ("report.html", "html"),
        ("report.htm", "html"),
        ("junit.xml", "junit"),
        ("scan.sarif", "sarif"),
        ("scan.sarif.json", "sarif"),
    ],
)
def test_the_extension_names_the_format(path: str, name: str) -> None:
    assert format_of(path) == name
    assert format_of(Path(path)) == name


@pytest.mark.parametrize("path", ["report", "report.pdf", ".html/report", ""])
def test_an_unknown_extension_lists_the_known_ones(path: str) -> None:
    with pytest.raises(InputError, match=r"\.txt, \.json, \.md.*\.sarif"):
        format_of(path)


@pytest.mark.parametrize("name", [*FORMATS, *ALIASES])
def test_every_format_renders_by_name(name: str) -> None:
    assert render(report(), name).endswith("\n")


def test_an_unknown_format_gets_a_suggestion() -> None:
    with pytest.raises(ConfigError, match="did you mean 'markdown'"):
        render(report(), "markdwon")
    with pytest.raises(ConfigError, match="there are terminal, json"):
        render(report(), "zzz")


def test_the_registry_loads_no_heavy_library() -> None:
    code = (
        "import sys; import ragstone.report.formats, ragstone.report.model\n"
        "print(sorted({'rich', 'jinja2', 'duckdb', 'msgspec', 'difflib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
