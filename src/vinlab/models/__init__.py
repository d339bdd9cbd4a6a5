"""Trained models: from the weights that the package ships, or from the folder of a run."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vinlab.models.names import suggestion
from vinlab.networks.base import Policy
from vinlab.networks.configs import current_weight_names, network_config
from vinlab.recording.files import read_json_object
from vinlab.recording.finished_run import WEIGHTS, open_run
from vinlab.recording.weights import load_weights
from vinlab.types import InputError

SHIPPED = Path(__file__).parents[1] / "pretrained"
"""Where the shipped weights lie, each a ``.safetensors`` file with a ``.json`` card beside it."""


@dataclass(frozen=True)
class Model:
    """A trained network, with what is known about it."""

    id: str
    network: Policy
    size: int
    """The longer side of the maps it was trained on; 0 where its problems have no size."""
    card: Mapping[str, Any]
    """How it was trained and how well it does."""
    corner_cutting: bool = True
    """Whether diagonal moves could pass the corners of obstacles in its training."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """The configuration of its training, as the manifest or card holds it."""
    folder: Path | None = None
    """The folder of its run; None where the package ships it."""

    def iterations_for(self, shape: Sequence[int]) -> int | tuple[int, ...] | None:
        """The K of training, scaled to a map of another size: goals that are further away need more backups."""
        iterations = self.network.iterations
        if iterations is None or not self.size:
            return iterations
        scale = max(shape) / self.size
        if isinstance(iterations, int):
            return max(1, math.ceil(iterations * scale))
        return tuple(max(1, math.ceil(level * scale)) for level in iterations)


def default_id(*, corner_cutting: bool) -> str:
    """The id of the shipped model for maps of any kind, by whether diagonal moves may pass corners."""
    wanted = ("grid/any",) if corner_cutting else ("grid/strict", "grid/any")
    return next((id for id in wanted if id in shipped_ids()), "gridworld/28/vin")


def load(name: str | Path) -> Model:
    """A trained model by its id, such as ``gridworld/28/vin``, or from the folder of a finished run."""
    if Path(name).is_dir():
        return _from_run(Path(name))
    if str(name) in shipped_ids():
        return _from_package(str(name))
    raise InputError(f"There is no model or run '{name}'{suggestion(str(name), shipped_ids())}.")


def shipped_ids() -> list[str]:
    """The ids of the models whose weights come with the package."""
    return sorted(_id_of(card) for card in SHIPPED.glob("*.json"))


def _id_of(card: Path) -> str:
    return card.stem.replace("_", "/")


def _from_package(id: str) -> Model:
    stem = id.replace("/", "_")
    card = read_json_object(SHIPPED / f"{stem}.json")
    return _build(id, card["config"], SHIPPED / f"{stem}.safetensors", card)


def _from_run(folder: Path) -> Model:
    run = open_run(folder)
    weights = folder / WEIGHTS
    if not weights.exists():
        raise InputError(f"{folder} holds no {WEIGHTS}: only the scores of this run were kept.")
    model = _build(run.manifest.id, run.manifest.config, weights, run.result)
    return replace(model, folder=folder)


def _build(id: str, config: Mapping[str, Any], weights: Path, card: Mapping[str, Any]) -> Model:
    if "network" not in config:
        raise InputError(f"'{id}' has no network of its own: it evaluates a shipped model.")
    network: Any = network_config(config["network"]).build()
    load_weights(network, weights, rename=current_weight_names)
    network.eval()
    data = config.get("data", {})
    return Model(
        id=id,
        network=network,
        size=int(data.get("size", 0)),
        card=card,
        corner_cutting=bool(data.get("corner_cutting", True)),
        config=config,
    )
