"""Files as tests pack them."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import CompressionParameter, compress, decompress
else:
    from backports.zstd import CompressionParameter, compress, decompress


def zstd(content: bytes) -> bytes:
    """As the command packs: with a checksum."""
    return compress(content, options={CompressionParameter.checksum_flag: 1})


def unzstd(content: bytes) -> bytes:
    return decompress(content)
