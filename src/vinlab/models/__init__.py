"""Trained models: shipped with the package, or from the folder of a run."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vinlab.models.bounded_build import build_within
from vinlab.models.names import suggestion
from vinlab.networks.configs import current_weight_names, network_config
from vinlab.recording.files import read_bytes
from vinlab.recording.hashing import text_hash
from vinlab.recording.json_files import read_json_object, require_fields
from vinlab.recording.weights import fill, load_tensors
from vinlab.types import InputError

ANY_MAP = "any map"
"""The entry ``serves`` in the card of a model for maps of any size and kind."""

LARGEST_SIZE = 4096
"""Cells along a side of the maps that a model was trained on."""

COST_MAPS = "maps with costs"
"""The same entry of a model that is shown the costs of cells."""

SHIPPED = Path(__file__).parents[1] / "pretrained"
"""The folder of the shipped weights: ``.safetensors`` files, each with a ``.json`` card."""


@dataclass(frozen=True)
class Model:
    """A trained network and its metadata."""

    id: str
    network: Any
    """A ``networks.Policy``, or a policy for problems that are not grids."""
    size: int
    """The longer side of the maps it was trained on; 0 where its problems have no size."""
    card: Mapping[str, Any]
    """How it was trained, and its scores."""
    corner_cutting: bool = True
    """Whether diagonal moves could cut the corners of obstacles in its training."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """The configuration of its training, as the manifest or card holds it."""
    folder: Path | None = None
    """The folder of its run; None where the package ships it."""

    @property
    def prefix(self) -> str:
        """Of the names of its figures: a shipped model's carry its id."""
        return "" if self.folder else f"{stem_of(self.id)}_"

    def iterations_for(self, shape: Sequence[int]) -> int | tuple[int, ...] | None:
        """The K of training, scaled with the side of the map: more distant goals need more backups."""
        iterations = self.network.iterations
        if iterations is None or not self.size:
            return iterations
        scale = max(shape) / self.size
        if isinstance(iterations, int):
            return max(1, math.ceil(iterations * scale))
        return tuple(max(1, math.ceil(level * scale)) for level in iterations)


def default_id(*, corner_cutting: bool, serves: str = ANY_MAP) -> str:
    """The shipped model for any map, trained with this rule for diagonal moves where there is such a model."""
    cards = {id: card for id in shipped_ids() if (card := read_card(id)).get("serves") == serves}
    rules = {id: card["config"].get("data", {}).get("corner_cutting", True) for id, card in cards.items()}
    return min(rules, key=lambda id: rules[id] != corner_cutting)


def load(name: str | Path) -> Model:
    """A shipped model by its id (see ``shipped_ids``), or the model of a finished run by its folder."""
    if (folder := Path(name)).is_dir():
        from vinlab.recording.finished_run import WEIGHTS, open_run  # shipped models need no runs

        run = open_run(folder)
        weights = folder / WEIGHTS
        if not weights.exists():
            raise InputError(f"{folder}: expected {WEIGHTS}, got a run of which the scores alone were kept.")
        model = _build(run.manifest.id, run.manifest.config, weights, run.result)
        return replace(model, folder=folder)
    if str(name) in shipped_ids():
        card, weights = read_card(str(name)), SHIPPED / f"{stem_of(str(name))}.safetensors"
        require_fields(card, {"config": dict}, f"The card of {name}")
        return _build(str(name), card["config"], weights, card, card.get("sha256"))
    raise InputError(f"There is no model or run '{name}'{suggestion(str(name), shipped_ids())}")


def shipped_ids() -> list[str]:
    """The ids of the shipped models."""
    return sorted(card.stem.replace("_", "/") for card in SHIPPED.glob("*.json"))


def read_card(id: str) -> dict[str, Any]:
    """How a shipped model was trained, its scores and its limits."""
    return read_json_object(SHIPPED / f"{stem_of(id)}.json")


def stem_of(id: str) -> str:
    """The name of a shipped model's files."""
    return id.replace("/", "_")


def _build(
    id: str, config: Mapping[str, Any], weights: Path, card: Mapping[str, Any], checksum: Any = None
) -> Model:
    """The model of some weights; what the file of its settings holds is checked before anything is built."""
    if "network" not in config:
        raise InputError(
            f"expected a setting with a network of its own, got {id}, which evaluates another model."
        )
    data = _data_of(config, id)
    if checksum is not None and checksum != text_hash(read_bytes(weights)):
        raise InputError(f"{weights} is damaged: expected the checksum that its card names, got another.")
    settings: Any = network_config(config["network"])
    tensors = load_tensors(weights)
    if hasattr(settings, "for_weights"):
        settings = settings.for_weights(tensors)
    network = build_within(settings.build, sum(tensor.numel() for tensor in tensors.values()))
    fill(network, tensors, weights, rename=current_weight_names)
    network.eval()
    return Model(id, network, data.get("size", 0), card, data.get("corner_cutting", True), config)


def _data_of(config: Mapping[str, Any], id: str) -> Mapping[str, Any]:
    """What the settings say about the data, with a size and a rule of the right types."""
    data = config.get("data", {})
    if not isinstance(data, dict):
        raise InputError(f"{id}: expected the settings of its data, got a {type(data).__name__}.")
    size, rule = data.get("size", 0), data.get("corner_cutting", True)
    if type(size) is not int or not 0 <= size <= LARGEST_SIZE:
        raise InputError(
            f"{id}: expected a size of 0 to {LARGEST_SIZE} cells in the settings of its data, got {str(size)[:40]}."
        )
    if type(rule) is not bool:
        raise InputError(f"{id}: expected true or false as corner_cutting, got {str(rule)[:40]}.")
    return data
