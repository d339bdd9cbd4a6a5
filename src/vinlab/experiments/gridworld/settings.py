"""How the networks of the grid-world are trained, by recipe and budget: Section 4.1 and Table 1."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from vinlab.domains.gridworld.author_data import AUTHORS_ATTEMPTS
from vinlab.experiments.base import RECIPES, Budget, Recipe, Setting, by_id
from vinlab.experiments.gridworld.data import GridworldData
from vinlab.learners.imitation import ImitationConfig, authors_rmsprop, one_cycle
from vinlab.learners.optimizers import Stage
from vinlab.networks.configs import NetworkConfig
from vinlab.networks.grid.cnn import CnnConfig
from vinlab.networks.grid.configs import AuthorsVinConfig
from vinlab.networks.grid.cost_vin import CostVinConfig
from vinlab.networks.grid.fcn import FcnConfig


@dataclass(frozen=True)
class NearGoal:
    """A part of training that reads the states near the goal alone, from plans with few backups."""

    distance: int
    """The largest number of rows or columns between such a state and the goal."""
    iterations: int | tuple[int, ...]
    """K while it lasts; of a hierarchical network K of each level."""
    stage: Stage
    kept: int | None = None
    """How many starts go on to the next part, the best of this one; all if not given."""


@dataclass(frozen=True)
class GridworldTraining:
    """The configuration of a run."""

    network: NetworkConfig
    data: GridworldData
    learning: ImitationConfig
    training_iterations: tuple[int, ...] | None = None
    """K of each level during training, where it differs from the network's own."""
    start: Literal["network", "authors"] = "network"
    """Who draws the initial weights and the order of the updates: the network's own ``build``, with another order in
    every epoch, or NumPy's legacy generator as in the authors' code, with one order for all epochs."""
    curriculum: tuple[NearGoal, ...] = ()
    """What comes before the stages of ``learning``; of the authors' rows alone."""
    starts: int = 1
    """Initial weights from which the curriculum is tried; the best of them goes on."""


ITERATIONS = {8: 10, 16: 20, 28: 36}
"""The paper's K by the side of the map."""

DEEP_ITERATIONS = {size: 2 * size for size in ITERATIONS}
"""K of the recipe ``default``: some paths to the goal have more steps than the paper's K."""

ATTEMPTS: dict[Budget, int] = {"smoke": 60, "small": 1000, "paper": AUTHORS_ATTEMPTS}

PAPER_ROWS = 10
"""The authors' updates read rows of as many states of one map."""

NOISE_EPOCHS = {8: 20, 16: 20, 28: 40}
"""Of the last stage, at the budget ``paper``."""

NOISE_RATE = {8: 0.005, 16: 0.005, 28: 0.002}
"""Of the last stage: through more backups a high rate undoes what the curriculum has learned."""

NOISE_STARTS = {8: 6, 16: 6, 28: 12}
"""At the budget ``paper``: with more backups fewer starts find all moves."""

FIRST_STAGE, NEXT_STAGE, LAST_STAGE = (
    Stage(epochs, rate, "cosine") for epochs, rate in ((6, 0.01), (2, 0.005), (2, 0.002))
)

NEAR_GOAL = {
    8: (NearGoal(4, 6, FIRST_STAGE), NearGoal(8, 10, LAST_STAGE)),
    16: (NearGoal(6, 10, FIRST_STAGE), NearGoal(16, 20, LAST_STAGE)),
    28: (NearGoal(6, 10, FIRST_STAGE, 4), NearGoal(14, 20, NEXT_STAGE, 2), NearGoal(28, 36, LAST_STAGE)),
}
"""The curriculum of the recipe ``noise``; its last part, on all states, shows how good a start is."""

CNN_EPOCHS = {8: 20, 16: 12, 28: 6}
"""Larger maps show more states in an epoch; at 28 x 28 one takes minutes of a processor."""


def vin_recipe(size: int, budget: Budget, recipe: Recipe) -> GridworldTraining:
    """A VIN by one of the three recipes."""
    if recipe == "paper":
        return paper_recipe(AuthorsVinConfig(iterations=ITERATIONS[size]), size, budget)
    if recipe == "noise":
        return noise_recipe(AuthorsVinConfig(iterations=ITERATIONS[size]), NEAR_GOAL[size], size, budget)
    return default_recipe(CostVinConfig(iterations=DEEP_ITERATIONS[size], outside="zero"), size, budget)


def default_recipe(network: NetworkConfig, size: int, budget: Budget) -> GridworldTraining:
    """What learns best and fastest: all optimal moves in every cell as targets, small batches, one cycle of Adam."""
    epochs = {"smoke": 1, "small": 10, "paper": 20}[budget]
    return GridworldTraining(network, data_of(size, budget, "default"), one_cycle(epochs, 1e-2, batch=8))


def paper_recipe(network: NetworkConfig, size: int, budget: Budget) -> GridworldTraining:
    """What the authors' code does: their initial noise, labels, batches and order, RMSProp in four stages."""
    epochs = {"smoke": 1, "small": 5, "paper": 30}[budget]
    data = replace(data_of(size, budget, "paper"), rows=PAPER_ROWS)
    return GridworldTraining(network, data, replace(authors_rmsprop(epochs), keep="last"), start="authors")


def noise_recipe(
    network: NetworkConfig, near_goal: tuple[NearGoal, ...], size: int, budget: Budget
) -> GridworldTraining:
    """The authors' network with their K, from noise and from their labels, in the way that learns best from these.

    States near the goal come first, read from plans with few backups: there the network finds out how moves move,
    which long plans of random weights do not show. Then all states, with a rate that falls steadily to nearly zero.
    """
    config = paper_recipe(network, size, budget)
    most = (NOISE_EPOCHS[size], NOISE_STARTS[size])
    epochs, starts = {"smoke": (1, 2), "small": (8, 4), "paper": most}[budget]
    stage = Stage(epochs, NOISE_RATE[size], "cosine")
    learning = replace(config.learning, stages=(stage,), keep="best")
    if budget == "smoke":
        near_goal = tuple(replace(part, stage=replace(part.stage, epochs=1)) for part in near_goal)
    return replace(config, learning=learning, curriculum=near_goal, starts=starts)


def cnn_recipe(size: int, budget: Budget, recipe: Recipe) -> GridworldTraining:
    """The CNN, learning from trajectory labels as in the paper or from all optimal moves in every cell."""
    epochs = {"smoke": 1, "small": 6, "paper": CNN_EPOCHS[size]}[budget]
    data = data_of(size, budget, recipe)
    return GridworldTraining(CnnConfig(size=size), data, one_cycle(epochs, 2e-3, batch=4))


def fcn_recipe(size: int, budget: Budget, recipe: Recipe) -> GridworldTraining:
    """The FCN, learning from trajectory labels as in the paper or from all optimal moves in every cell."""
    learning = one_cycle(1 if budget == "smoke" else 10, 5e-3, batch=8)
    return GridworldTraining(FcnConfig(size=size), data_of(size, budget, recipe), learning)


def data_of(size: int, budget: Budget, recipe: Recipe) -> GridworldData:
    """The paper's labels or all optimal moves; at the smallest budget few maps to evaluate on."""
    targets = "trajectories" if recipe == "paper" else "everywhere"
    data = GridworldData(size=size, attempts=ATTEMPTS[budget], targets=targets)
    return replace(data, validation_problems=20, test_problems=50) if budget == "smoke" else data


NETWORKS = {
    "vin": (vin_recipe, "VIN"),
    "cnn": (cnn_recipe, "CNN with five layers of filters"),
    "fcn": (fcn_recipe, "FCN whose first filter spans the map"),
}
"""How each row of the table is trained, and what it is."""


def _setting(size: int, name: str) -> Setting[GridworldTraining]:
    configure, words = NETWORKS[name]
    depth = f" with K = {DEEP_ITERATIONS[size]} (paper: {ITERATIONS[size]})" if name == "vin" else ""
    about = f"{words}{depth} on {size} x {size} maps with random obstacles"
    recipes: tuple[Recipe, ...] = ("default", "paper", "noise") if name == "vin" else RECIPES
    return Setting(f"gridworld/{size}/{name}", about, partial(configure, size), recipes=recipes)


SETTINGS = by_id(_setting(size, name) for size in ITERATIONS for name in NETWORKS)
