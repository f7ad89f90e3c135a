"""Finds names of metrics that stand where people read, without their plain names."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from ragstone.suites.metric_titles import metrics_of
from ragstone.suites.registry import suites

TITLES: dict[str, set[str]] = {}
SAYS: set[str] = set()
for _suite in suites():
    for _metric in metrics_of(_suite):
        TITLES.setdefault(_metric.name, set()).add(_metric.title)
        SAYS.add(_metric.says)
# Names that are plain words themselves: a sentence may use such a word and mean no metric.
WORDS = {name for name in TITLES if re.fullmatch(r"[a-z]{4,}", name)} | {"map"}
BARE = re.compile(
    r"(?<![\w@.\[=-])("
    + "|".join(sorted(map(re.escape, TITLES.keys() - WORDS), key=len, reverse=True))
    + r")(?![\w@=-])"
)


def sections_of_page(text: str) -> Iterator[str]:
    """What is read under each heading of a page, and on each card, with the words of pictures."""
    text = re.sub(r"(?s)<(script|style)\b.*?</\1>|<details class=\"settings.*?</details>", "", text)
    for part in re.split(r"(?=<h[1-3]\b|<section|<details class=\"card)", text):
        labels = " ".join(re.findall(r'aria-label="([^"]*)"', part))
        yield " ".join(html.unescape(re.sub(r"<[^>]+>", " ", part) + labels).split())


def bare_names(part: str) -> list[str]:
    """The names in a part of a report that does not also have their plain names.

    What stands in brackets behind words is explained by them, and what a metric's own sentence
    says of another is its definition. A question is lost at a check, which may be called as a
    metric is.
    """
    part = re.sub(r"lost at \w+", "", part)
    for says in SAYS:
        part = part.replace(says, "")
    read = re.sub(r"(?<=\w )\([^()]*\)", "", part)
    return [name for name in BARE.findall(read) if not any(each in part for each in TITLES[name])]
