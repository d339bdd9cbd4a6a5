"""The hash of data, which a manifest holds."""

import hashlib

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
