"""The program that runs the documentation: what it runs, what it compares, what it refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import docs_code
import pytest


@pytest.fixture
def run(tmp_path):
    """Runs the program on one page as `make docs` does."""

    def run_text(text: str) -> subprocess.CompletedProcess[str]:
        page = tmp_path / "page.md"
        page.write_text(dedent(text), encoding="utf-8")
        return subprocess.run(
            [sys.executable, docs_code.__file__, str(page)],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "200"},
        )

    return run_text


def test_a_page_that_works_is_counted(run):
    ran = run("""
        ```python
        x = 1
        ```
        ```python no-run
        import this_does_not_exist
        ```
        ```console
        $ true
        $ echo hello
        ```
        ```yaml
        not: run
        ```
        """)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == (
        "docs: ran 1 python and 1 console blocks (2 commands), skipped 1, broken pages: 0\n"
    )


WORKING = {
    "python blocks of a page share their names": """
        ```python
        x = 1
        ```
        ```python
        if x != 1:
            raise SystemExit(1)
        ```
        """,
    "a file written by one block is there for the next": """
        ```python
        open("a.txt", "w").write("written\\n")
        ```
        ```console compare
        $ cat a.txt
        written
        ```
        """,
    "the folder and the exported variables carry over": """
        ```console compare
        $ mkdir sub
        $ cd sub
        $ export WORD='it is "here"'
        $ basename "$PWD"; echo "$WORD"
        sub
        it is "here"
        ```
        """,
    "a declared exit code is what is expected": """
        ```console
        $ exit 3
        # exit 3
        $ echo goes on
        ```
        """,
    "output is not compared unless the block says so": """
        ```console
        $ echo one
        two
        ```
        """,
    "an ellipsis stands for any lines, also none": """
        ```console compare
        $ printf 'a\\nb\\nc\\n'
        a
        ...
        c
        ...
        ```
        """,
    "standard error is part of the output": """
        ```console compare
        $ echo wrong >&2; exit 1
        # exit 1
        wrong
        ```
        """,
    "a command goes on after a backslash": """
        ```console compare
        $ echo a \\
            b
        a b
        ```
        """,
    "a longer fence holds a shorter one": """
        ````markdown
        ```python
        1 / 0
        ```
        ````
        """,
    "a block in a list is read without its indentation": """
        1. First

           ```python
           if 1:
               x = 1
           ```
        """,
    "the environment's own commands come first": f"""
        ```console compare
        $ dirname "$(command -v python)"
        {Path(sys.executable).parent}
        ```
        """,
    "nothing waits for an answer": """
        ```console
        $ read answer
        # exit 1
        ```
        """,
}


@pytest.mark.parametrize("text", WORKING.values(), ids=WORKING.keys())
def test_a_page_runs(run, text):
    ran = run(text)
    assert ran.returncode == 0, ran.stderr


BROKEN = {
    "an exception, with the line of the page": (
        """\
        # A page

        ```python
        x = 1
        x / 0
        ```
        """,
        ["page.md:4: the block raised", 'File "page.md", line 5', "ZeroDivisionError"],
    ),
    "a block that exits": ("```python\nraise SystemExit(0)\n```\n", ["page.md:2", "SystemExit"]),
    "a syntax error": ("```python\nx = = 1\n```\n", ["page.md:2", "SyntaxError"]),
    "a command that fails, with what it printed": (
        "```console\n$ true\n$ echo because; exit 2\n```\n",
        ["page.md:3: $ echo because; exit 2", "exited with 2, and the page says 0", "because"],
    ),
    "a command that should have failed": (
        "```console\n$ true\n# exit 1\n```\n",
        ["exited with 0, and the page says 1"],
    ),
    "another output": (
        "```console compare\n$ echo one\ntwo\n```\n",
        ["page.md:2", "printed\none", "the page says\ntwo"],
    ),
    "output that the page leaves out": (
        "```console compare\n$ printf 'a\\nb\\n'\na\n```\n",
        ["printed\na\nb"],
    ),
    "a console block without a command": (
        "```console\nragstone demo\n```\n",
        ["page.md:2", "`$ `"],
    ),
    "a block that never ends": ("text\n```python\nx = 1\n", ["page.md:2", "never closed"]),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_page_is_named_with_its_line(run, text, said):
    ran = run(text)
    assert ran.returncode == 1
    assert "broken pages: 1" in ran.stdout
    for words in said:
        assert words in ran.stderr


def test_a_command_that_hangs_is_a_broken_page(monkeypatch, tmp_path):
    monkeypatch.setattr(docs_code, "SECONDS_PER_COMMAND", 0.1)
    page = tmp_path / "page.md"
    page.write_text("```console\n$ exec sleep 60\n```\n", encoding="utf-8")
    with pytest.raises(docs_code.Broken, match="did not end"):
        docs_code.run_page(page)


def test_the_projects_own_pages_are_found():
    names = {path.name for path in docs_code.pages([])}
    assert {"README.md", "CONTRIBUTING.md", "ci.md"} <= names
