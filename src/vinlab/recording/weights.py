"""Tensors on disk as safetensors, which are safe to load from any source; pickles are never loaded."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load as decode
from safetensors.torch import save as encode
from torch import Tensor, nn

from vinlab.recording.files import read_bytes, write_bytes
from vinlab.types import InputError

_ZIP_START = b"PK\x03\x04"
_PICKLE_STARTS = tuple(bytes([0x80, protocol]) for protocol in range(2, 6))


def save_tensors(
    path: str | Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None
) -> None:
    """Write the tensors and some texts beside them in one step."""
    # Copies, because safetensors refuses tensors that share their memory.
    copies = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    write_bytes(path, encode(copies, metadata=dict(metadata) if metadata else None))


def load_tensors(path: str | Path) -> dict[str, Tensor]:
    """The tensors that a safetensors file holds, by name."""
    return load_tensors_and_metadata(path)[0]


def load_tensors_and_metadata(path: str | Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors that a safetensors file holds, and the texts beside them."""
    data = read_bytes(path)
    try:
        tensors = decode(data)
    except (SafetensorError, ValueError, KeyError) as error:
        raise InputError(f"Cannot load {path}: expected a .safetensors file, got {_fault(data)}.") from error
    header_end = 8 + int.from_bytes(data[:8], "little")
    return tensors, json.loads(data[8:header_end]).get("__metadata__", {})


Rename = Callable[[nn.Module, Mapping[str, Tensor]], Mapping[str, Tensor]]
"""Gives the weights of an older version their current names."""


def load_weights(module: nn.Module, path: str | Path, rename: Rename | None = None) -> None:
    """Load the weights of the file into the module; names and shapes must fit, and every number be finite."""
    tensors: Mapping[str, Tensor] = load_tensors(path)
    if rename is not None:
        tensors = rename(module, tensors)
    require_fitting(module, tensors, path)
    require_finite(tensors, path)
    module.load_state_dict(tensors)


def require_fitting(module: nn.Module, tensors: Mapping[str, Tensor], path: str | Path) -> None:
    """Refuse weights whose names or shapes are not those of the module."""
    own = module.state_dict()
    missing = sorted(own.keys() - tensors.keys())
    unexpected = sorted(tensors.keys() - own.keys())
    misshapen = [
        f"{name} (expected {_shape(own[name])}, got {_shape(tensors[name])})"
        for name in own.keys() & tensors.keys()
        if tensors[name].shape != own[name].shape
    ]
    faults = {"missing": missing, "unexpected": unexpected, "other shapes": sorted(misshapen)}
    found = [f"{fault} {_some(names)}" for fault, names in faults.items() if names]
    if found:
        raise InputError(f"The weights in {path} do not fit {type(module).__name__}: {'; '.join(found)}.")


def require_finite(tensors: Mapping[str, Tensor], path: str | Path) -> None:
    """Refuse weights with nan or infinite numbers."""
    broken = [name for name, tensor in tensors.items() if not bool(torch.isfinite(tensor).all())]
    if broken:
        raise InputError(
            f"The weights in {path}: expected finite numbers, got nan or infinite ones in {_some(broken)}."
        )


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
