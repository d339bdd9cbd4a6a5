"""How the networks of the hole world are trained, by recipe and budget: the paper's appendix."""

from dataclasses import dataclass, replace
from functools import partial

from vinlab.experiments.base import RECIPES, Budget, Recipe, Setting, by_id
from vinlab.experiments.rl.data import RlData
from vinlab.learners.trpo.curriculum import CurriculumConfig, PatientRule
from vinlab.learners.trpo.trpo import TrpoConfig
from vinlab.learners.trpo.trust_region import TrustRegionConfig
from vinlab.networks.grid.rl import PooledCnnConfig, ValueVinConfig


@dataclass(frozen=True)
class RlTraining:
    """The configuration of a run."""

    network: ValueVinConfig | PooledCnnConfig
    data: RlData
    learning: TrpoConfig
    starts: int = 1
    """Initial weights of which the best one on validation problems is trained on, after ``trial_iterations`` each."""
    trial_iterations: int = 40


ITERATIONS = {8: 10, 16: 20}
"""The paper's K by the side of the map."""

LEVELS = {8: 12, 16: 22}
"""The last level of the curriculum: a plan of K backups hardly reaches further than K steps."""

HORIZONS = {8: 30, 16: 60}
PROBLEMS = {8: 300, 16: 250}

UPDATES: dict[Recipe, dict[int, int]] = {
    "default": {8: 150, 16: 120},
    "paper": {8: 150, 16: 150},
    "noise": {8: 150, 16: 150},
}
"""Iterations of TRPO for a VIN whose kernels start as moves, and for one whose kernels start as noise."""


def learning(size: int, budget: Budget, recipe: Recipe) -> TrpoConfig:
    """TRPO for a VIN."""
    updates = UPDATES[recipe][size]
    return TrpoConfig(
        iterations={"smoke": 3, "small": updates // 4, "paper": updates}[budget],
        curriculum=CurriculumConfig(last=LEVELS[size], rule=PatientRule()),
        problems=30 if budget == "smoke" else PROBLEMS[size],
        episodes=6,
        horizon=HORIZONS[size],
        trust_region=TrustRegionConfig(divergence=0.03, fisher_share=0.15),
        last_divergence=0.005,
        validate_every=2 if budget == "smoke" else 10,
    )


def configure_vin(size: int, budget: Budget, recipe: Recipe) -> RlTraining:
    """A VIN whose kernels start as the four moves (default), as noise (paper), or as the best of several (noise)."""
    moves = ValueVinConfig(iterations=ITERATIONS[size], initialisation="moves")
    noise = ValueVinConfig(iterations=ITERATIONS[size], initialisation="random", std=0.1)
    network = moves if recipe == "default" else noise
    config = RlTraining(network, _data(size, budget), learning(size, budget, recipe))
    if recipe != "noise":
        return config
    starts, iterations = {"smoke": (2, 2), "small": (2, 20), "paper": (STARTS, 40)}[budget]
    return replace(config, starts=starts, trial_iterations=iterations)


def configure_without_curriculum(size: int, budget: Budget, recipe: Recipe) -> RlTraining:
    """The same VIN, trained at the last level of the curriculum only."""
    config = configure_vin(size, budget, recipe)
    only = CurriculumConfig(first=LEVELS[size], last=LEVELS[size])
    return replace(config, learning=replace(config.learning, curriculum=only))


STARTS = 3
"""Initial weights in the recipe ``noise``: about one in three is behind from its first levels and stays so."""

CNN_UPDATES = {8: 700, 16: 600}
"""Iterations of TRPO for a CNN: enough for as many environment steps as the VIN, in smaller batches."""

CNN_PATIENCE = {8: 5, 16: 15}
"""Iterations at a level at most: at 16 x 16 a CNN needs about ten until it reaches most goals one move away."""

CNN_EPISODES = {8: (100, 6), 16: (300, 2)}
"""Maps of an iteration, and episodes on each: a CNN shares no plan, and learns more from more maps."""

CNN_STEPS = {
    8: TrustRegionConfig(fisher_share=0.5),
    16: TrustRegionConfig(fisher_share=0.5, fisher_stride=8, entropy_bonus=0.01),
}
"""At 16 x 16 every eighth state counts for the Fisher matrix, which would take most of the time; a bonus for entropy
keeps the policy from being sure of its moves before it has learned them."""


def configure_cnn(size: int, budget: Budget, recipe: Recipe) -> RlTraining:
    """The appendix's CNN.

    It computes every state separately and has hundreds of times as many parameters as the VIN, so that the Fisher
    matrix of a batch is far from full rank: it is damped more, and more states count for it.
    """
    vin = learning(size, budget, recipe)
    problems, episodes = CNN_EPISODES[size]
    cnn = replace(
        vin,
        iterations={"smoke": 3, "small": CNN_UPDATES[size] // 4, "paper": CNN_UPDATES[size]}[budget],
        curriculum=CurriculumConfig(last=LEVELS[size], rule=PatientRule(patience=CNN_PATIENCE[size])),
        problems=vin.problems if budget == "smoke" else problems,
        episodes=episodes,
        trust_region=replace(CNN_STEPS[size], divergence=0.08, damping=0.1),
    )
    return RlTraining(PooledCnnConfig.for_size(size), _data(size, budget), cnn)


def _data(size: int, budget: Budget) -> RlData:
    if budget == "smoke":
        return RlData(size=size, validation_problems=20, test_problems=50, per_difficulty=5)
    return RlData(size=size)


NO_CURRICULUM = "vin-no-curriculum"
"""The control, on 8 x 8 maps alone."""

NETWORKS = {
    "vin": (configure_vin, "VIN with K = {k} {maps}"),
    NO_CURRICULUM: (configure_without_curriculum, "VIN with K = {k} {maps}, without a curriculum"),
    "cnn": (configure_cnn, "reactive CNN {maps}"),
}


def _setting(size: int, name: str) -> Setting[RlTraining]:
    configure, words = NETWORKS[name]
    maps = f"by reinforcement learning on {size} x {size} maps with holes"
    about = words.format(k=ITERATIONS[size], maps=maps)
    recipes: tuple[Recipe, ...] = ("default", "paper", "noise") if name == "vin" else RECIPES
    return Setting(
        f"rl/{size}/{name}", about, partial(configure, size), recipes=recipes, control=name == NO_CURRICULUM
    )


SETTINGS = by_id(
    _setting(size, name) for size in ITERATIONS for name in NETWORKS if size == 8 or name != NO_CURRICULUM
)
