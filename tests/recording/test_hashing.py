import hashlib

import numpy as np
import torch

from vinlab.recording.hashing import data_hash


def test_the_hash_is_sha256_over_kind_shape_and_bytes() -> None:
    array = np.arange(3, dtype=np.int64)
    assert data_hash(array) == hashlib.sha256(b"<i8(3,)" + array.tobytes()).hexdigest()


def test_kind_shape_content_and_order_all_count() -> None:
    zeros = np.zeros((2, 3), np.float32)
    ones = np.ones((2, 3), np.float32)
    hashes = {
        data_hash(zeros),
        data_hash(zeros.reshape(3, 2)),
        data_hash(zeros.astype(np.int32)),
        data_hash(ones),
        data_hash(zeros, ones),
        data_hash(ones, zeros),
    }
    assert len(hashes) == 6


def test_memory_layout_and_library_do_not_count() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert data_hash(np.asfortranarray(array)) == data_hash(array) == data_hash(torch.from_numpy(array))
    assert data_hash(array.astype(">f4")) == data_hash(array)
