"""The hashes of data, which a manifest holds, and of a run's own files."""

import hashlib
import json
from typing import Any

import numpy as np
from torch import Tensor


def data_hash(*arrays: np.ndarray | Tensor) -> str:
    """The SHA-256 of the dtypes, shapes and contents of the arrays, in their order, as hexadecimal digits."""
    digest = hashlib.sha256()
    for array in arrays:
        array = array.detach().cpu().numpy() if isinstance(array, Tensor) else array
        # The same bytes on machines of either endianness.
        array = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def text_hash(data: bytes) -> str:
    """The SHA-256 of some bytes, as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def plain_hash(plain: Any) -> str:
    """The SHA-256 of plain data, whatever the order and layout of its fields in a file."""
    return text_hash(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode())
