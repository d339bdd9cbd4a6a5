"""Tensors on disk as safetensors, which are safe to load from any source; pickles are never loaded."""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as decode
from safetensors.torch import save as encode
from torch import Tensor, nn

from vinlab.recording.files import read_bytes, write_bytes
from vinlab.recording.json_files import parse_json
from vinlab.types import InputError

CHECKSUM = "sha256"
"""The name of the text that holds the SHA-256 of the file, in which its own digits count as zeros."""

LARGEST_TENSORS = 256 * 2**20
"""Bytes of a file; while it is decoded it is held twice."""
LARGEST_HEADER = 16 * 2**20
"""Bytes of the names, shapes and texts of a file."""

_ZIP_START = b"PK\x03\x04"
_PICKLE_STARTS = tuple(bytes([0x80, protocol]) for protocol in range(2, 6))


def save_tensors(
    path: str | Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None
) -> None:
    """Write the tensors, some texts beside them and a checksum of the whole file in one step."""
    # Copies, because safetensors refuses tensors that share their memory.
    copies = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    write_bytes(path, sealed(encode(copies), metadata or {}))


def load_tensors(path: str | Path) -> dict[str, Tensor]:
    """The tensors that a safetensors file holds, by name."""
    return load_tensors_and_metadata(path)[0]


def load_tensors_and_metadata(path: str | Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors that a safetensors file holds, and the texts beside them, if its checksum is right."""
    data = read_bytes(path, most=LARGEST_TENSORS)
    texts = texts_of(data, path)
    try:
        return decode(data), texts
    except (SafetensorError, ValueError, KeyError, TypeError, AssertionError) as error:
        raise _damaged(path, data) from error


Rename = Callable[[nn.Module, Mapping[str, Tensor]], Mapping[str, Tensor]]
"""Gives the weights of an older version their current names."""


def fill(
    module: nn.Module, tensors: Mapping[str, Tensor], path: str | Path, rename: Rename | None = None
) -> None:
    """Give the module the weights of a file; names, shapes and types must fit, and every number be finite."""
    if rename is not None:
        tensors = rename(module, tensors)
    require_fitting(module, tensors, path)
    require_finite(tensors, path)
    module.load_state_dict(tensors)


def require_fitting(module: nn.Module, tensors: Mapping[str, Tensor], path: str | Path) -> None:
    """Refuse weights whose names, shapes or types are not those of the module."""
    own = module.state_dict()

    def differing(trait: Callable[[Tensor], Any]) -> list[str]:
        pairs = {name: (trait(own[name]), trait(tensors[name])) for name in own.keys() & tensors.keys()}
        return [f"{name} (expected {a}, got {b})" for name, (a, b) in pairs.items() if a != b]

    faults = {
        "missing": own.keys() - tensors.keys(),
        "unexpected": tensors.keys() - own.keys(),
        "other shapes": differing(_shape),
        "other types": differing(lambda tensor: tensor.dtype),
    }
    found = [f"{fault} {_some(sorted(names))}" for fault, names in faults.items() if names]
    if found:
        raise InputError(f"The weights in {path} do not fit {type(module).__name__}: {'; '.join(found)}.")


def require_finite(tensors: Mapping[str, Tensor], path: str | Path) -> None:
    """Refuse weights with nan or infinite numbers."""
    broken = [name for name, tensor in tensors.items() if not bool(torch.isfinite(tensor).all())]
    if broken:
        raise InputError(
            f"The weights in {path}: expected finite numbers, got nan or infinite ones in {_some(broken)}."
        )


def sealed(data: bytes, texts: Mapping[str, str]) -> bytes:
    """An encoded file with texts beside its tensors, always in the same order, and its checksum among them."""
    end = 8 + int.from_bytes(data[:8], "little")
    entries = json.loads(data[8:end])
    # The checksum comes first, so that no other text can stand in for it.
    header = json.dumps(
        {"__metadata__": {CHECKSUM: _ZEROS, **texts}, **entries}, separators=(",", ":"), ensure_ascii=False
    ).encode()
    header += b" " * (-len(header) % 8)
    parts = [len(header).to_bytes(8, "little"), header, memoryview(data)[end:]]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    parts[1] = header.replace(_ZEROS.encode(), digest.hexdigest().encode(), 1)
    return b"".join(parts)


def texts_of(data: bytes, path: str | Path) -> dict[str, str]:
    """The texts in the header of a file without the checksum, which must be right; older files have none."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(len(data) - 8, LARGEST_HEADER):
        raise _damaged(path, data)
    try:
        header = parse_json(data[8 : 8 + length], "header")
    except InputError as error:
        raise _damaged(path, data) from error
    texts = header.get("__metadata__", {}) if isinstance(header, dict) else None
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise _damaged(path, data)
    found = texts.pop(CHECKSUM, None)
    if found is None:
        return texts
    digest = hashlib.sha256(data[: 8 + length].replace(found.encode(), _ZEROS.encode(), 1))
    digest.update(memoryview(data)[8 + length :])
    if found != digest.hexdigest():
        raise InputError(
            f"{path} is damaged: expected the checksum {found[:12]}… of its content, got another."
        )
    return texts


_ZEROS = "0" * 64


def _damaged(path: str | Path, data: bytes) -> InputError:
    return InputError(f"Cannot load {path}: expected a .safetensors file, got {_fault(data)}.")


def _fault(data: bytes) -> str:
    """What the file is instead of valid safetensors."""
    if data.startswith(_ZIP_START):
        return "a zip archive such as torch.save writes (pickles are never loaded)"
    if data[8:9] != b"{" and data.startswith(_PICKLE_STARTS):
        return "a pickle (pickles are never loaded)"
    if len(data) <= 8 or (data[5:9] == b"\0\0\0{"):  # the length of the header, then the header
        return "a truncated or damaged one"
    return "a file of another kind"


def _shape(tensor: Tensor) -> str:
    return "×".join(map(str, tensor.shape)) or "a single number"


def _some(names: list[str], most: int = 5) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
