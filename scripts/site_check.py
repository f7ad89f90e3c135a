#!/usr/bin/env python3
"""Is the built site whole? Every link and anchor lands, and no page asks another host for anything.

site_check.py FOLDER
"""

from __future__ import annotations

import posixpath
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself; a link that a reader clicks may leave the site.
FETCHED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "link": "href"}
IN_STYLES = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^\"')\s]+")


class PageLinks(HTMLParser):
    """The anchors of a page, what it links to and what it fetches."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: set[str] = set()
        self.fetched: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.targets.add(given["href"])
        # A canonical link names a page and fetches nothing.
        attribute = FETCHED.get(tag, "")
        if attribute in given and given.get("rel") != "canonical":
            self.fetched.add(given[attribute])


def landing(page: str, target: str) -> tuple[str, str]:
    """The file of the site that a link leads to, and the anchor.

    >>> landing("guides/a.html", "../b.html#c"), landing("a.html", "#c"), landing("a.html", "./")
    (('b.html', 'c'), ('a.html', 'c'), ('index.html', ''))
    """
    parts = urlsplit(target)
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path) or "."))
    if not parts.path:
        path = page
    elif parts.path.endswith(("/", ".")):
        path = posixpath.normpath(posixpath.join(path, "index.html"))
    return path, unquote(parts.fragment)


def problems(site: Path) -> list[str]:
    """What is wrong with the site in a folder, a line each."""
    pages = {
        path.relative_to(site).as_posix(): PageLinks(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    found = [f"{site}: no index.html"] if "index.html" not in pages else []
    for name, page in pages.items():
        found += [
            f"{name}: asks another host: {target}"
            for target in sorted(page.fetched)
            if urlsplit(target).netloc
        ]
        # The page for what is not found is served from any folder, with links from the root.
        for target in sorted(page.targets | page.fetched) if name != "404.html" else []:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            path, anchor = landing(name, target)
            if not (site / path).is_file():
                found.append(f"{name}: {target}: no file {path}")
            elif anchor and path in pages and anchor not in pages[path].anchors:
                found.append(f"{name}: {target}: no anchor #{anchor} in {path}")
    for style in sorted(site.rglob("*.css")):
        asked = IN_STYLES.findall(style.read_text(encoding="utf-8"))
        found += [f"{style.relative_to(site)}: asks another host: {url}" for url in asked]
    return found


def main(folder: str) -> int:
    """Say what is wrong; exits 1 if anything is."""
    site = Path(folder)
    found = problems(site)
    for line in found:
        print(line, file=sys.stderr)
    print(f"site: {len(list(site.rglob('*.html')))} pages, broken: {len(found)}")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
