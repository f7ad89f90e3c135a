"""Files behind a URL, which are fetched only because the user names them.

A file is copied once into the scratch folder and read from there as any other, so that nothing
depends on a connection that may break in the middle of a run. What is behind s3:// and gs:// is
opened by packages that fsspec knows.
"""

from __future__ import annotations

import glob
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ragstone.errors import ConfigError, InputError, say_note
from ragstone.extras import install_line
from ragstone.progress import weighing
from ragstone.scratch import keep

# Addresses that stand in a file which nobody named, with the path of that file: nothing connects
# to them. One for the whole process, for its threads connect, too.
_UNNAMED: dict[str, str] = {}

_URL = re.compile(r"[A-Za-z][A-Za-z0-9]*://\S+")
_PACKAGES = {"http": "aiohttp", "https": "aiohttp", "s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs"}
# More than any log that one machine scores; what is behind a URL may have no end.
_MOST = 64 * 2**30
# What must stay free of the disk that the copy is on.
_LEFT_FREE = 2**28
_BLOCK = 1 << 20
_SECONDS = 60.0


def shown_url(url: str) -> str:
    """The URL without what may be a secret: a password, and the signature in its query.

    >>> shown_url("https://ann:secret@host:8443/t.jsonl?X-Signature=abc#x")
    'https://host:8443/t.jsonl'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def without_secrets(text: str) -> str:
    """A word of a command line, each URL in it as it is shown.

    >>> without_secrets("--gold=https://ann:secret@host/g.json?key=1"), without_secrets("a=b?c")
    ('--gold=https://host/g.json', 'a=b?c')
    """
    return _URL.sub(lambda found: shown_url(found.group()), text) if "://" in text else text


def addresses_in(value: object) -> Iterator[str]:
    """Every text that may lead away from this machine, however deep it stands."""
    return (text for text in texts_in(value) if "://" in text)


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from texts_in(each)


def nobody_named(addresses: Iterable[str], file: str, words: Sequence[str] = ()) -> None:
    """From now on nothing connects to these addresses of a file, unless a word names them too."""
    named = {part for word in words for part in _values_in(word)}
    _UNNAMED.update((each, file) for each in addresses if each not in named)


def _values_in(word: str) -> Iterator[str]:
    """What a word of a command line may give: all of it, or what follows a flag or a name.

    >>> list(_values_in("--trace=new=https://host/t.jsonl?key=1"))[1:]
    ['new=https://host/t.jsonl?key=1', 'https://host/t.jsonl?key=1']
    """
    yield word
    head, is_given, value = word.partition("=")
    while is_given and "://" not in head:
        yield value
        head, is_given, value = value.partition("=")


def must_be_named(address: str, what: str) -> None:
    """Refuses an address that stands only in a file which nobody named.

    Whatever connects asks here first: somebody else's file in the working folder makes no request.
    """
    file = _UNNAMED.get(address)
    if file is not None:
        raise ConfigError(
            f"{file} names {without_secrets(address)} as {what}, and nobody has named {file}: "
            "Ragstone connects only to what the command line names, or a file that --config names"
        )


def fetched(url: str, what: str, scratch: Path) -> Iterator[tuple[str, Path]]:
    """The name and a copy of each file behind a URL; with a pattern, of all that it matches."""
    store, path = store_of(url, what)
    scheme = url.partition("://")[0].lower()
    try:
        matches = [path]
        if glob.has_magic(path) and not scheme.startswith("http"):
            matches = sorted(map(str, store.glob(path)))
        for match in matches:
            name = shown_url(url) if match == path else f"{scheme}://{match.lstrip('/')}"
            yield name, _copied(store, match, name, what, scratch)
    except InputError:
        raise
    except Exception as error:
        raise _not_fetched(url, what, error) from None
    if not matches:
        raise InputError(f"no {what} file matches {shown_url(url)}")


def store_of(url: str, what: str) -> tuple[Any, str]:
    """The store behind a URL, and the path in it; making one may connect already."""
    must_be_named(url, what)
    name = shown_url(url)
    try:
        import fsspec
    except ModuleNotFoundError:
        raise InputError(
            f"{what} {name}: a URL needs fsspec, which is not installed: {install_line('fsspec')}"
        ) from None
    scheme = url.partition("://")[0].lower()
    try:
        store, path = fsspec.core.url_to_fs(url, **_settings(scheme))
    except ImportError:
        package = _PACKAGES.get(scheme, f"the package for {scheme}://")
        known = install_line(package) if scheme in _PACKAGES else "see the pages of fsspec"
        raise InputError(
            f"{what} {name}: {scheme}:// needs {package}, which is not installed: {known}"
        ) from None
    except Exception as error:
        raise _not_fetched(url, what, error) from None
    return store, str(path)


def _settings(scheme: str) -> dict[str, Any]:
    """A server that says nothing for a minute is given up; a long answer is not."""
    if not scheme.startswith("http"):
        return {}
    import aiohttp

    timeout = aiohttp.ClientTimeout(total=None, sock_connect=_SECONDS, sock_read=_SECONDS)
    return {"client_kwargs": {"timeout": timeout, "trust_env": True}, "block_size": 0}


def _copied(store: Any, path: str, name: str, what: str, scratch: Path) -> Path:
    size = store.info(path).get("size")
    room = min(_MOST, shutil.disk_usage(scratch).free - _LEFT_FREE)
    if size is not None and size > room:
        raise _too_large(name, what, room)
    say_note(f"fetching {name}" + (f" ({size / 1e6:,.1f} MB)" if size and size > 1e5 else ""))

    def pieces() -> Iterator[bytes]:
        got = 0
        with store.open(path, "rb") as file:
            while piece := file.read(_BLOCK):
                got += len(piece)
                if got > room:
                    raise _too_large(name, what, room)
                yield piece
        if size is not None and got != size:
            raise InputError(
                f"{what} {name} cannot be fetched: {got:,} of {size:,} bytes came; try again"
            )

    return keep(scratch, weighing(pieces(), f"fetching {name}", size or 0))


def _too_large(name: str, what: str, room: int) -> InputError:
    return InputError(
        f"{what} {name} is larger than the {max(room, 0) / 1e9:,.1f} GB that may be copied; free "
        "some of the disk, set TMPDIR to a folder on another, or copy the file yourself"
    )


def _not_fetched(url: str, what: str, error: Exception) -> InputError:
    """What a store says, in one line and without the secrets of the URL."""
    # A server that cannot be reached is told as a file that is not there, with the cause behind it.
    cause = error.__cause__
    if isinstance(error, FileNotFoundError) and getattr(cause, "status", 404) != 404:
        error = cause if isinstance(cause, Exception) else error
    elif isinstance(error, FileNotFoundError) and isinstance(cause, OSError):
        error = cause
    if isinstance(error, FileNotFoundError):
        return InputError(f"{what} file {shown_url(url)} does not exist")
    said = " ".join(str(error).split()).replace(url, shown_url(url)) or type(error).__name__
    query = urlsplit(url).query
    said = said.replace(query, "...") if query else said
    return InputError(f"{what} {shown_url(url)} cannot be fetched: {said[:300]}")
