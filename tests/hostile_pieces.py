"""What long texts are made of: the beginnings of all that a pattern may look for."""

from __future__ import annotations

PIECES = (
    *("a", "0", " ", "\n", "\r\n", "\t", "\0", ".", "?!", ",", ":", "::", ";", "-", "--", "="),
    *("'", '"', "`", "\\", "\\'", '\\"', '"x', "“", "~", "*", "**a", "_", "_a", "@", "#", "|a"),
    *("[", "]", "[]", "![", "](", "(", "(1)", "{", '{"a":', '"a":1,', "true,", "<", "<p>", "</"),
    *("<!--", "<![CDATA[", "<urn:uuid:", "&", "&amp;", "%", "$1", "1,", "1.", "1 ", "1-", "1e"),
    *("文", "e\u0301", "\u0327\u0301", "\u200b", "\x1b[", "a.", "a-", "a=", "a@b.", "www."),
    *("http://a", "https://", "2018-01-01 ", "January ", "one hundred ", "minus ", "million "),
    *("not true that ", "does not ", "null keys ", "page=7][", "```\n", "- ", "> ", "[a]: b\n"),
)


def text_of(piece: str, size: int) -> str:
    """A piece again and again; what comes last fits nothing that came before."""
    return (piece * (size // len(piece) + 1))[: size - 1] + "b"
