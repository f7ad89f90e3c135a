"""A disk that is full, as one process meets it: the kernel lets no file grow beyond a size."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """Inside, a write beyond so many bytes of any file fails.

    Python would leave halves of the byte code of what it imports, and the next process that imports
    it would fail: it writes none.
    """
    limits, written = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    # The signal would end the process before the write fails.
    told = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        sys.dont_write_bytecode = written
        signal.signal(signal.SIGXFSZ, told)
