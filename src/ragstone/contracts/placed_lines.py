"""Records that are no lines of their file, each as a line of JSON that knows where it is from.

Elements of an array and rows of a table become such lines, so that one contract and one set of
diagnostics serve them as they serve JSON Lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ragstone.contracts.json_elements import elements

_CHARACTER = re.compile(r"\(character [0-9]+\)\Z")


class PlacedLine(bytes):
    """The JSON of a record, and the line of the file on which the record begins.

    `element` is its number in an array. One with a `fault` (a field and a reason) could not be
    read, and has no text.
    """

    line: int
    element: int
    fault: tuple[str, str] | None

    @classmethod
    def of(
        cls, text: bytes, line: int, element: int = 0, fault: tuple[str, str] | None = None
    ) -> PlacedLine:
        made = cls(text)
        made.line, made.element, made.fault = line, element, fault
        return made


def array_lines(blocks: Iterable[bytes], name: str) -> Iterator[PlacedLine]:
    """The elements of the array that a document is, each on a line."""
    for each in elements(blocks, name=name):
        yield PlacedLine.of(each.on_one_line(), each.line, each.number)


def element_of(line: bytes) -> int:
    """The number of the element that a line is; 0 if it is none."""
    return line.element if isinstance(line, PlacedLine) else 0


def in_element(reason: str, element: int) -> str:
    """A reason with the number of the element: its line may be that of many.

    >>> in_element("expected true or false", 3), in_element("a comma (character 9)", 3)
    ('expected true or false (element 3)', 'a comma (character 9 of element 3)')
    """
    if not element:
        return reason
    if _CHARACTER.search(reason):
        return f"{reason[:-1]} of element {element:,})"
    return f"{reason} (element {element:,})"
