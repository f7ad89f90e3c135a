"""Documents become blocks with their marks taken off, whatever they were written in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragstone.errors import ConfigError, InputError
from ragstone.index.documents import blocks_of, found_in, read_source, read_text
from ragstone.index.markup_blocks import read_html, read_markdown


def seen(blocks):
    return [(b.level or b.type, b.text) for b in blocks]


def test_markdown_has_headings_prose_lists_code_tables_and_figures():
    text = (
        "---\ntitle: x\n---\nTop\n===\n\nSome *words*\nthat flow.\n\n1. one\n   more\n2. two\n\n"
        "~~~sh\nrun  it\n\n# no heading\n~~~\n\n| a | b |\n|---|:-:|\n| `1\\|`x | **2** |\n\n"
        '![A map](m.svg "Of it")\n\n<!-- hidden -->\n\n    indented\n\n> quoted\n'
    )
    assert seen(read_markdown(text)) == [
        (1, "Top"),
        ("prose", "Some words that flow."),
        ("prose", "one more\ntwo"),
        ("code", "run  it\n\n# no heading"),
        ("table", "a | b\n1|x | 2"),
        ("figure", "A map. Of it"),
        ("code", "indented"),
        ("prose", "quoted"),
    ]


def test_a_nested_list_keeps_a_line_for_each_item_and_code_loses_the_item_s_indent():
    text = (
        "Steps:\n1. one\n   - `a`\n   - b\n     more\n2. two\n\n   ```sh\n   run\n   ```\n\n"
        "   after\n3. three\n\n* loose\n\n* too\n"
    )
    assert seen(read_markdown(text)) == [
        ("prose", "Steps:\none\na\nb more\ntwo"),
        ("code", "run"),
        ("prose", "after\nthree"),
        ("prose", "loose"),
        ("prose", "too"),
    ]


def test_links_by_reference_are_read_as_their_words():
    text = "See [the *guide*][g], [g] and [none][of].\n\n[g]: guide.md 'Guide'\n\n[^1]: A note.\n"
    assert seen(read_markdown(text)) == [
        ("prose", "See the guide, g and [none][of]."),
        ("prose", "[^1]: A note."),
    ]


def test_html_in_markdown_is_read_as_html():
    text = (
        '<h1 align="center">Relay</h1>\n\n<!-- a\n\nb -->\n\n<details>\n<summary>More</summary>\n\n'
        "**Inside**, a<br>b and Map<K, V>.\n\n</details>\n\n<table><tr><td>x<td>1</table>\n\n"
        "<script>\nno()\n\nno()\n</script>\n"
    )
    assert seen(read_markdown(text)) == [
        (1, "Relay"),
        ("prose", "More"),
        ("prose", "Inside, a b and Map<K, V>."),
        ("table", "x | 1"),
    ]


def test_quotes_hold_what_documents_hold_but_open_no_section():
    text = "> # Note\n> - one\n>\n> ```\n> code\n> ```\n\n![A](a.png)\n![B](b.png)\nends.\n"
    assert seen(read_markdown(text)) == [
        ("prose", "Note\none"),
        ("code", "code"),
        ("figure", "A"),
        ("figure", "B"),
        ("prose", "ends."),
    ]


@pytest.mark.parametrize("mark", ["> ", "- ", "[", "*", "`", "<a ", "![", "| a ", "<!--"])
def test_markdown_of_one_mark_a_thousand_times_is_read(mark: str):
    assert seen(read_markdown(f"# First\n\n{mark * 1000}word\n"))[0] == (1, "First")


def test_html_shows_what_a_browser_would_show():
    text = (
        "<title>no</title><nav>no</nav><h1>Top <i>x</i></h1><script>no()</script>"
        "<p>One &amp; two<br>three<ul><li>a<li>b</ul><pre>go\n  on</pre>"
        "<table><tr><th>n<th>v<tr><td>a<td>1</table><img alt='A map'><div>end"
    )
    assert seen(read_html(f"<head>{text}")) == [
        (1, "Top x"),
        ("prose", "One & two\nthree"),
        ("prose", "a\nb"),
        ("code", "go\n  on"),
        ("table", "n | v\na | 1"),
        ("figure", "A map"),
        ("prose", "end"),
    ]


def test_plain_text_has_paragraphs_and_may_have_a_title():
    assert seen(read_text("A title\n\nfirst\nline\n\nsecond.")) == [
        (1, "A title"),
        ("prose", "first line"),
        ("prose", "second."),
    ]


def test_a_source_file_has_a_section_for_each_definition():
    text = "class A:\n    def f(self): ...\n\n# About g.\ndef g():\n    return 1\n"
    assert seen(read_source(text)) == [
        (2, "A"),
        ("code", "class A:\n    def f(self): ..."),
        (2, "g"),
        ("code", "# About g.\ndef g():\n    return 1"),
    ]


def test_files_are_found_by_name_and_hidden_ones_are_not(tmp_path: Path):
    for name in ("b.md", "a/c.TXT", ".git/x.md", ".hidden.md", "z.bin"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = found_in(tmp_path)
    assert [name for name, _ in found.documents] == ["a/c.TXT", "b.md"]
    assert found.skipped == 1


@pytest.mark.parametrize("make", ["missing", "empty"])
def test_a_folder_without_documents_is_refused(tmp_path: Path, make: str):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError):
        found_in(tmp_path / make)


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"a\.md: byte 2 is not UTF-8"):
        blocks_of(tmp_path / "a.md", b"ok\xff")


def test_pdf_without_its_package_names_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # As if it were not installed: importing it fails.
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(ConfigError, match="pip install 'pypdf>=5'"):
        blocks_of(tmp_path / "a.pdf", b"%PDF-1.4")


def minimal_pdf(text: str) -> bytes:
    stream = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode()
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R"
        b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
    ]
    made, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(made))
        made += b"%d 0 obj%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = (
        b"xref\n0 5\n0000000000 65535 f \n%strailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
    )
    return made + head % (table, len(made))


def test_a_pdf_has_a_section_for_each_page(tmp_path: Path):
    pytest.importorskip("pypdf")
    blocks = blocks_of(tmp_path / "a.pdf", minimal_pdf("Events are kept."))
    assert seen(blocks) == [(2, "Page 1"), ("prose", "Events are kept.")]
    with pytest.raises(InputError, match="cannot be read as PDF"):
        blocks_of(tmp_path / "a.pdf", b"not a pdf")
