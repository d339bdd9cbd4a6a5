"""How the C library treats freed memory while a network is trained."""

import ctypes
import sys

# The parameters' numbers in glibc's malloc.h.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3

LARGEST_BLOCK = 32 << 20
"""Bytes up to which a block comes from the heap; glibc allows no more."""
KEPT = 256 << 20
"""Bytes of freed memory that stay with the process."""


def keep_freed_memory() -> bool:
    """Keep freed memory for the next update instead of returning it to the system; False where this is not glibc.

    Every update allocates the same few large tensors. Given back and taken anew each time, their pages are cleared
    again by the system, which at 28 x 28 cost a hierarchical VIN two thirds of its time.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(_MMAP_THRESHOLD, LARGEST_BLOCK) and mallopt(_TRIM_THRESHOLD, KEPT))
