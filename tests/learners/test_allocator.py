import ctypes
import subprocess
import sys

import pytest

# `hblks` of glibc's mallinfo2: blocks taken from the system one by one, each given back when it is freed.
COUNT_SYSTEM_BLOCKS = """
import ctypes
import torch
from vinlab.learners.allocator import keep_freed_memory

class MallocInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]

mallinfo = ctypes.CDLL(None).mallinfo2
mallinfo.restype = MallocInfo

def system_blocks(size):
    before = mallinfo().hblks
    tensors = [torch.ones(size) for _ in range(8)]
    return mallinfo().hblks - before

size = 7 << 20
usual = system_blocks(size)
kept = keep_freed_memory()
system_blocks(size)
print(kept, usual, system_blocks(size), mallinfo().fordblks)
"""


def _is_glibc_with_mallinfo2() -> bool:
    return sys.platform.startswith("linux") and hasattr(ctypes.CDLL(None), "mallinfo2")


@pytest.mark.skipif(not _is_glibc_with_mallinfo2(), reason="needs mallinfo2 of glibc 2.33")
def test_freed_memory_is_not_asked_for_again():
    shown = subprocess.run([sys.executable, "-c", COUNT_SYSTEM_BLOCKS], capture_output=True, text=True)
    kept, usual, afterwards, free_in_heap = shown.stdout.split()
    assert kept == "True", shown.stderr
    assert int(usual) == 8
    assert int(afterwards) == 0
    assert int(free_in_heap) >= 8 * 4 * (7 << 20)  # the freed tensors of the second call are still there
