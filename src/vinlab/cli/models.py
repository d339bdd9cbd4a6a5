"""The model that a command names."""

from pathlib import Path

from vinlab.models import Model, load, shipped_ids
from vinlab.types import InputError


def load_model(name: str, *, device: str = "cpu") -> Model:
    """A shipped model by its id or the model of a run by its folder, on the device."""
    if not Path(name).is_dir() and name not in shipped_ids():
        _refuse_untrained(name)
    model = load(name)
    if device != "cpu":
        model.network.to(require_device(device))
    return model


def _refuse_untrained(name: str) -> None:
    from vinlab.experiments.catalogue import read_catalogue

    if name in read_catalogue():
        raise InputError(
            f"{name} is a setting whose weights are not shipped. Train it first (vinlab train {name}), then name the "
            "folder of the run."
        )


def require_device(name: str) -> str:
    """The device, if PyTorch can compute there."""
    import torch

    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(
            f"--device: expected a device that PyTorch has here, such as cpu, got '{name}'."
        ) from error
    return name
