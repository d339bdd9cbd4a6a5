"""Costs of ground learned from demonstrated paths: settings by network, loss, number of pictures and demonstrator."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from vinlab.domains.terrain_costs.problem import TerrainCostsConfig
from vinlab.experiments.base import Budget, Recipe, Setting, by_id
from vinlab.experiments.terrain_costs.data import TerrainCostsData
from vinlab.experiments.terrain_costs.slopes import SlopeConfig
from vinlab.learners.path_losses import MaxEntropyConfig, PathImitationConfig, PathLossConfig, SlipConfig
from vinlab.learners.search_loss import SearchLossConfig
from vinlab.networks.configs import NetworkConfig
from vinlab.networks.terrain.ground_rivals import GroundCnnConfig, MoveClassifierConfig
from vinlab.networks.terrain.ground_vin import GroundVinConfig, GuidanceVinConfig

LossConfig = PathLossConfig | SearchLossConfig

UPDATES: dict[Budget, int] = {"smoke": 4, "small": 450, "paper": 3000}
PICTURES, MANY_KINDS = 8, 8
"""Pictures of an update with all their paths, and the most kinds of ground, where kinds are told apart."""
SEARCH_UPDATES, SEARCH_RATE = 400, 1e-3
"""Few, because a search step by step takes minutes of a processor where a compiled one takes seconds."""


@dataclass(frozen=True)
class PathLearning:
    """How weights are learned."""

    updates: int = 3000
    """About how many; they are made in whole epochs."""
    rate: float = 5e-3
    """The highest of one cycle of Adam's rate."""
    batch: int = 16
    """Paths of an update."""
    epoch_updates: int = 50
    """At least as many make an epoch, after which the weights are validated: paths are shown more than once."""
    symmetric: bool = True
    """Whether the pictures are turned and mirrored; not where light or direction matter."""
    pictures: int = 0
    """Where above zero, the paths of a picture are shown together, so that it is encoded once, and an update sees so
    many pictures, but at least ``batch`` paths."""


@dataclass(frozen=True)
class TerrainCostsTraining:
    """The configuration of a run."""

    network: NetworkConfig
    data: TerrainCostsData
    loss: LossConfig
    learning: PathLearning = field(default_factory=PathLearning)


def configure(
    network: NetworkConfig, loss: LossConfig, data: TerrainCostsData, budget: Budget, recipe: Recipe
) -> TerrainCostsTraining:
    """The configuration for a budget."""
    if budget == "smoke":
        slopes = SlopeConfig(side=64, pixels=4, paths=2)
        terrain = TerrainCostsConfig(size=12)
        data = replace(data, pictures=10, paths=2, test_pictures=5, terrain=terrain, slopes=slopes)
    kinds = isinstance(network, GroundVinConfig) and network.kinds > 0
    learning = PathLearning(
        UPDATES[budget], symmetric=data.origin != "slopes", pictures=PICTURES if kinds else 0
    )
    if isinstance(loss, SearchLossConfig):
        learning = replace(learning, updates=min(UPDATES[budget], SEARCH_UPDATES), rate=SEARCH_RATE)
    return TerrainCostsTraining(network, data, loss, learning)


VIN, CNN, CLASSIFIER = GroundVinConfig(), GroundCnnConfig(), MoveClassifierConfig()
KINDS = GroundVinConfig(kinds=MANY_KINDS, symmetric=True)
GUIDANCE, SEARCH = GuidanceVinConfig(view="wide", largest=10.0), SearchLossConfig()
IMITATION, SLIPS, ENTROPY = PathImitationConfig(), SlipConfig(), MaxEntropyConfig()
MANY, FEW = TerrainCostsData(), TerrainCostsData(pictures=20)
NOISY = TerrainCostsData(detours=0.1)
OWN, SLOPES = TerrainCostsData(origin="own"), TerrainCostsData(origin="slopes")


def _setting(
    name: str, about: str, network: NetworkConfig, loss: LossConfig, data: TerrainCostsData
) -> Setting[TerrainCostsTraining]:
    make: Callable[[Budget, Recipe], TerrainCostsTraining] = partial(configure, network, loss, data)
    return Setting(f"terrain-costs/{name}", about, make, recipes=("default",))


SETTINGS = by_id(
    [
        _setting("vin", "100 pictures, 5 paths each; likelihood of whole paths", VIN, ENTROPY, MANY),
        _setting("vin-imitation", "the same; likelihood of each move", VIN, IMITATION, MANY),
        _setting("vin-slips", "the same; likelihood of each move, some made at random", VIN, SLIPS, MANY),
        _setting("few-vin", "20 pictures; likelihood of whole paths", VIN, ENTROPY, FEW),
        _setting("few-vin-imitation", "20 pictures; likelihood of each move", VIN, IMITATION, FEW),
        _setting("noisy-vin", "10 % random moves in the demonstrations; whole paths", VIN, ENTROPY, NOISY),
        _setting("noisy-vin-imitation", "the same; likelihood of each move", VIN, IMITATION, NOISY),
        _setting("noisy-vin-slips", "the same; each move, some made at random", VIN, SLIPS, NOISY),
        _setting("vin-kinds", "100 pictures; at most 8 kinds of ground, as vinlab fit", KINDS, SLIPS, MANY),
        _setting("few-vin-kinds", "20 pictures; at most 8 kinds of ground, as vinlab fit", KINDS, SLIPS, FEW),
        _setting("noisy-vin-kinds", "10 % random moves; at most 8 kinds of ground", KINDS, SLIPS, NOISY),
        _setting("cnn", "a reactive CNN on 100 pictures", CNN, IMITATION, MANY),
        _setting("neural-astar", "Neural A*'s loss and guidance map on 100 pictures", GUIDANCE, SEARCH, MANY),
        _setting("classifier", "a classifier of moves on 100 pictures", CLASSIFIER, IMITATION, MANY),
        _setting(
            "mars", "images of Mars (--data), of which the slope is the hidden cost", VIN, ENTROPY, SLOPES
        ),
        _setting("own", "what vinlab fit trains on a dataset of your own", VIN, ENTROPY, OWN),
    ]
)
