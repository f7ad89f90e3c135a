"""In which section does a chunk stand, and how far apart are two sections in the title tree?

With a manifest it is the manifest's word; without one the id itself says it, in one of the dialects
below. A section's name is its path in the tree: S.4.2 stands in S.4, which stands in S.
"""

from __future__ import annotations

import re

from ragstone.engine.duck import Duck, quoted

DIALECTS = (
    r"^([A-Za-z]+(?:\.[0-9]+)+|[0-9]+(?:\.[0-9]+)*)(?:\.p)?\.[Bb]k[0-9A-Za-z]*$",
    r"^[^|]*\|(?:[^|]*\|)*?s=([^|]+)(?:\||$)",
    r"^[^#]*#(s[0-9][0-9A-Za-z.]*)#p[0-9A-Za-z]+$",
)
_DOCUMENTS = (r"^([^|]+)\|", r"^([^#]+)#")


def document_of(chunk: str) -> str:
    """The document that an id names; ids of other dialects are all of one document.

    >>> document_of("docA#s03#p002"), document_of("S.4.2.p.Bk011a")
    ('docA', '')
    """
    for pattern in _DOCUMENTS:
        found = re.match(pattern, chunk)
        if found:
            return found.group(1)
    return ""


def natural(section: str) -> tuple[tuple[int, int, str], ...]:
    """The key that puts 1.2 before 1.10, and S.9 before S.10.

    >>> sorted(["1.10", "1.2", "S.10.1", "S.9"], key=natural)
    ['1.2', '1.10', 'S.9', 'S.10.1']
    """
    parts = re.findall(r"[0-9]+|[^0-9.]+|\.", section)
    return tuple(
        (1, int(part), "") if part.isdigit() else (0 if part == "." else 2, 0, part)
        for part in parts
    )


def install(duck: Duck) -> None:
    """Defines the macros `dialect(id)`, `within(section, anchor)` and `tree_distance(a, b)`."""
    tries = ", ".join(f"nullif(regexp_extract(s, {quoted(p)}, 1), '')" for p in DIALECTS)
    duck.run(f"""
        create macro dialect(s) as coalesce({tries});
        create macro within(section, anchor) as
            section = anchor or starts_with(section, anchor || '.');
        create macro shared_steps(a, b) as len(list_filter(
            range(1, least(len(a), len(b)) + 1), lambda n: a[:n] = b[:n]
        ));
        create macro tree_distance(one, other) as
            len(string_split(one, '.')) + len(string_split(other, '.'))
            - 2 * shared_steps(string_split(one, '.'), string_split(other, '.'));
    """)
