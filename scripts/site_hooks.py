"""How the repository becomes a site: mkdocs calls these while it builds `build/site`.

The README is the start page, and the other Markdown files of the repository are pages beside those
of docs/. A file that a page links to, such as a test, becomes a page that shows its text; so
every link stays inside the site, and the site needs no other place to be complete.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

# mkdocs loads this file by its path, without the folder that it is in.
sys.path.insert(0, str(Path(__file__).resolve().parent))

import doc_links

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

LANGUAGES = {".py": "python", ".toml": "toml", ".yml": "yaml", ".json": "json", ".sql": "sql"}
FENCE_WORDS = re.compile(r"^( *(?:`{3,}|~{3,})\w+) .*$", flags=re.MULTILINE)


def site_path(path: str) -> str:
    """Where a file of the repository is in the site's sources.

    >>> [site_path(path) for path in ("README.md", "docs/ci.md", "SECURITY.md", "tests/test_a.py")]
    ['index.md', 'ci.md', 'security.md', 'source/tests/test_a.py.md']
    """
    if path == "README.md":
        return "index.md"
    if path == "examples/README.md":
        return "examples.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.endswith(".md") and "/" not in path:
        return path.lower()
    return f"source/{path}.md"


def repository_path(uri: str) -> str:
    """The file of the repository that a page of the site comes from; the other way round."""
    pages = {site_path(path): path for path in doc_links.pages()}
    return pages.get(uri, f"docs/{uri}")


def shown(path: str) -> str:
    """A page that shows a file of the repository, or the names in a folder of it."""
    place = doc_links.PROJECT / path
    if place.is_dir():
        names = sorted(entry.name for entry in place.iterdir() if entry.name[0] not in "._")
        return f"# {path}/\n\n" + "".join(f"- `{name}`\n" for name in names)
    language = LANGUAGES.get(place.suffix, "text")
    text = place.read_text(encoding="utf-8")
    return f"# {path}\n\n````````{language}\n{text}````````\n"


def linked_files() -> set[str]:
    """The files and folders of the repository that a page links to and that are no pages."""
    pages = doc_links.pages()
    targets = {
        doc_links.resolved(page, link.target)[0]
        for page in pages
        for link in doc_links.links((doc_links.PROJECT / page).read_text(encoding="utf-8"))
        if not doc_links.is_elsewhere(link.target)
    }
    return {target for target in targets - set(pages) if not target.startswith("docs/")}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Give headings the anchors that they have on the code host."""
    config.mdx_configs["toc"]["slugify"] = doc_links.slug
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/, and the files that are linked to."""
    from mkdocs.structure.files import File, InclusionLevel

    for path in doc_links.pages():
        if not path.startswith("docs/"):
            text = (doc_links.PROJECT / path).read_text(encoding="utf-8")
            files.append(File.generated(config, site_path(path), content=text))
    for path in sorted(linked_files()):
        page = File.generated(config, site_path(path), content=shown(path))
        page.inclusion = InclusionLevel.NOT_IN_NAV
        files.append(page)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Make the links of a page those of the site, and keep only the language of a block."""
    uri = page.file.src_uri
    if uri.startswith("source/"):
        page.meta["search"] = {"exclude": True}
        return markdown
    path = repository_path(uri)
    pieces, done = [], 0
    for link in doc_links.links(markdown):
        if doc_links.is_elsewhere(link.target):
            continue
        target, anchor = doc_links.resolved(path, link.target)
        there = posixpath.relpath(site_path(target), posixpath.dirname(uri) or ".")
        pieces += [markdown[done : link.start], there, f"#{anchor}" if anchor else ""]
        done = link.end
    return FENCE_WORDS.sub(r"\1", "".join([*pieces, markdown[done:]]))
