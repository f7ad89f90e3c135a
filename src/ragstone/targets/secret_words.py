"""Masks the keys and passwords that the address of a target may carry.

An address is written into the journal and into messages, and both are passed on: a journal to a
colleague, a message to the log of a CI job. What looks like a secret is replaced by `***` there.
A part is a secret by its name (`?api_key=...`, `--token ...`) or by its look (`sk-...`, a JWT).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator

MASK = "***"

_WORD = re.compile(
    "apikey|auth|authorization|bearer|cookie|credentials?|jwt|key|pass|passcode|passphrase"
    "|passwd|password|pat|pwd?|secret|sig|signature|token"
)
# `OPENAIAPIKEY` and `PGPASSWORD` are one word each.
_ENDINGS = ("apikey", "accesskey", "secretkey", "token", "secret", "password", "passwd")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_USER = re.compile(r"(?<=//)[^/?#\s]*@")
_FLAG = re.compile(r"--?[A-Za-z][\w.-]*")
_LEADING = re.compile(r"(-{0,2}[A-Za-z][\w.-]*)(\s*[=:]\s*)(?!//)(.+)", re.DOTALL)
_NAMED = re.compile(
    r"""(?P<name>[A-Za-z][\w.%-]*)(?P<between>["']?\s*[=:]\s*(?!//))"""
    r"""(?:(?P<quote>["'])(?P<quoted>.*?)(?P=quote)|(?P<plain>(?:(?i:bearer|basic)\s+)?[^\s&#"',;}]+))"""
)
_FOLLOWED = re.compile(
    r"(?<![\w-])(?P<name>--?[A-Za-z][\w.-]*)(?P<between>\s+)(?P<plain>[^\s-]\S*)"
)
_SCHEME = re.compile(r"(?i)\b(?P<name>bearer|basic)(?P<between>\s+)(?P<plain>[^\s\"']+)")
# The forms in which well-known services give out their keys, and a run of letters and digits that
# nobody types: 24 or more, in which both cases and a digit occur. A hash in hexadecimal is left
# alone: it names a version more often than it opens a door.
_LOOK = re.compile(
    r"\b(?:sk|pk|rk)[-_][\w-]{12,}|\bgh[a-z]_\w{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{12,}"
    r"|\bxox[a-z]-[\w-]{10,}|\bhf_\w{16,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{20,}"
    r"|\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?"
    r"|(?<![A-Za-z0-9])(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{24,}"
)


def names_a_secret(name: str) -> bool:
    """Whether a parameter, flag, variable or header of this name holds a secret.

    >>> [names_a_secret(name) for name in ("api_key", "--auth-token", "clientSecret")]
    [True, True, True]
    >>> [names_a_secret(name) for name in ("monkey", "max_token", "tokens", "--key-file", "model")]
    [False, False, False, False, False]
    """
    from urllib.parse import unquote

    words = [word.lower() for word in _PART.findall(unquote(name))]
    if not words or "max" in words:
        return False
    return _WORD.fullmatch(words[-1]) is not None or words[-1].endswith(_ENDINGS)


def shown_address(address: str) -> str:
    """The address as it may be written down; the user of a URL is left out with its password.

    >>> shown_address("https://me:pw@host/ask?model=small&api_key=abc#top")
    'https://host/ask?model=small&api_key=***#top'
    >>> shown_address("cmd:env API_KEY=abc ./pipeline --model small --token 'a b'")
    "cmd:env 'API_KEY=***' ./pipeline --model small --token '***'"
    """
    return _masked(address, lambda secret: None)


def secrets_in(address: str) -> tuple[str, ...]:
    """The secrets themselves, longest first: for `Masks`.

    >>> secrets_in("https://me:password@host/ask?api_key=abcdef&model=small")
    ('password', 'abcdef')
    """
    found: set[str] = set()
    # Of `Bearer abc` the server or program may repeat only the second word.
    _masked(address, lambda secret: found.add(re.sub(r"(?i)^(?:bearer|basic)\s+", "", secret)))
    return tuple(sorted(found, key=lambda secret: (-len(secret), secret)))


def _masked(address: str, note: Callable[[str], object]) -> str:
    if not address.startswith("cmd:"):
        return _in_text(address, note)
    try:
        words = shlex.split(address.removeprefix("cmd:"))
    except ValueError:
        # A quote is open, so nobody knows where a value ends.
        return f"{address.split(maxsplit=1)[0]} {MASK}"
    masked = list(_in_words(words, note))
    return address if masked == words else f"cmd:{shlex.join(masked)}"


def _in_words(words: list[str], note: Callable[[str], object]) -> Iterator[str]:
    """Masks `--token VALUE`, `--token=VALUE`, `TOKEN=VALUE` and `'Authorization: VALUE'`."""
    before = ""
    for word in words:
        leading = _LEADING.fullmatch(word)
        if _FLAG.fullmatch(before) and names_a_secret(before) and not word.startswith("--"):
            note(word)
            yield MASK
        elif leading is not None and names_a_secret(leading[1]):
            note(leading[3])
            yield leading[1] + leading[2] + MASK
        else:
            yield _in_text(word, note)
        before = word


def _in_text(text: str, note: Callable[[str], object]) -> str:
    """Masks secrets inside a URL, a piece of JSON or a command line within a word."""

    def user(match: re.Match[str]) -> str:
        note(match[0][:-1].partition(":")[2])
        return ""

    def looks(match: re.Match[str]) -> str:
        note(match[0])
        return MASK

    text = _USER.sub(user, text)
    for pattern in (_NAMED, _FOLLOWED, _SCHEME):
        text = "".join(_by_name(pattern, text, note))
    return _LOOK.sub(looks, text)


def _by_name(pattern: re.Pattern[str], text: str, note: Callable[[str], object]) -> Iterator[str]:
    """The text in pieces, with every value masked whose name names a secret."""
    at = 0
    while (match := pattern.search(text, at)) is not None:
        before, at = at, match.end("between")
        yield text[before:at]
        # What follows a harmless name is searched too: `host:80/?key=...` begins with a name.
        if names_a_secret(match["name"]):
            parts = match.groupdict()
            quote, at = parts.get("quote") or "", match.end()
            note(parts.get("quoted") or parts["plain"] or "")
            yield f"{quote}{MASK}{quote}"
    yield text[at:]
