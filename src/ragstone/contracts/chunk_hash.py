"""The `hash` of a chunk or of cited bytes: of the text's UTF-8 bytes, and of nothing else.

The index writes it and the retrieval suite checks it; both use these functions. With the type or
the id hashed as well, nobody outside could check a text against its hash.
"""

from __future__ import annotations

import hashlib

# By which a foreign manifest may have been made; our own uses the first.
_ALGORITHMS = ("sha256", "sha1", "md5")
# Fewer digits would fit another text by chance.
_FEWEST_DIGITS = 8


def chunk_hash(text: bytes) -> str:
    """The hash that the index writes.

    >>> chunk_hash(b"")[:12]
    'e3b0c44298fc'
    """
    return hashlib.sha256(text).hexdigest()


def hash_fits(text: bytes, declared: str) -> bool:
    """Whether a declared hash, or the first 8 or more digits of one, is that of the bytes.

    >>> hash_fits(b"", "sha256:e3b0c44298fc"), hash_fits(b"x", "e3b0c44298fc")
    (True, False)
    """
    digits = declared.rpartition(":")[2].strip().lower()
    if len(digits) < _FEWEST_DIGITS:
        return False
    return any(hashlib.new(name, text).hexdigest().startswith(digits) for name in _ALGORITHMS)
