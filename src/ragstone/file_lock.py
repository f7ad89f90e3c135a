"""A lock on an open file, which the kernel frees when the process ends, however it ends."""

from __future__ import annotations


def lock(descriptor: int, *, wait: bool = False) -> bool | None:
    """Whether the file is locked for this process alone; None where there are no such locks.

    Windows has none, and some network disks refuse them. Whoever asks goes on without one there.
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def unlock(descriptor: int) -> None:
    """Frees a lock that was had, while the file stays open."""
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_UN)
