"""The grid-world by reinforcement learning: the paper's appendix."""

from collections.abc import Sequence
from dataclasses import replace

from vinlab.experiments.base import Budget, Experiment, Recipe, Setting
from vinlab.experiments.rl.table import rl_table
from vinlab.experiments.rl.train import RlData, RlTraining, judge, train
from vinlab.learners.trpo.curriculum import CurriculumConfig, PatientRule
from vinlab.learners.trpo.trpo import TrpoConfig
from vinlab.learners.trpo.trust_region import TrustRegionConfig
from vinlab.networks.grid.rl import PooledCnnConfig, ValueVinConfig
from vinlab.recording.finished_run import FinishedRun

ITERATIONS = {8: 10, 16: 20}
"""The paper's K by the side of the map."""

LEVELS = {8: 12, 16: 22}
"""The hardest level of the curriculum: a VIN sees hardly further than K steps."""

HORIZONS = {8: 30, 16: 60}
PROBLEMS = {8: 300, 16: 250}

UPDATES: dict[Recipe, dict[int, int]] = {"default": {8: 150, 16: 120}, "paper": {8: 150, 16: 150}}
"""Iterations of TRPO for a VIN whose kernels start as moves, and for one whose kernels start as noise."""


def learning(size: int, budget: Budget, recipe: Recipe) -> TrpoConfig:
    """TRPO as it serves a VIN."""
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
    """A VIN whose kernels start as the four moves (default), or as noise (paper)."""
    starts = {
        "default": ValueVinConfig(iterations=ITERATIONS[size], initialisation="moves"),
        "paper": ValueVinConfig(iterations=ITERATIONS[size], initialisation="random", std=0.1),
    }
    return RlTraining(starts[recipe], _data(size, budget), learning(size, budget, recipe))


def configure_without_curriculum(size: int, budget: Budget, recipe: Recipe) -> RlTraining:
    """The same VIN, thrown into the hardest problems from the first iteration on."""
    config = configure_vin(size, budget, recipe)
    only = CurriculumConfig(first=LEVELS[size], last=LEVELS[size])
    return replace(config, learning=replace(config.learning, curriculum=only))


def configure_cnn(size: int, budget: Budget, recipe: Recipe) -> RlTraining:
    """The appendix's CNN; as many iterations as the VIN has at 8 x 8, and twice as many at 16 x 16.

    A CNN looks at every state anew, so it gets fewer maps an iteration: about 5,000 steps, as rllab has it.
    """
    vin = learning(size, budget, recipe)
    smaller = replace(
        vin,
        iterations=vin.iterations * (1 if size == 8 else 2),
        problems=min(vin.problems, {8: 100, 16: 50}[size]),
    )
    return RlTraining(PooledCnnConfig.for_size(size), _data(size, budget), smaller)


def _data(size: int, budget: Budget) -> RlData:
    if budget == "smoke":
        return RlData(size=size, validation_problems=20, test_problems=50, per_difficulty=5)
    return RlData(size=size)


def _settings(size: int) -> list[Setting]:
    maps = f"by trial and error on {size} x {size} maps with holes"
    found = [
        Setting(
            id=f"rl/{size}/vin",
            about=f"VIN with K = {ITERATIONS[size]} {maps}",
            configure=lambda budget, recipe: configure_vin(size, budget, recipe),
        ),
        Setting(
            id=f"rl/{size}/cnn",
            about=f"reactive CNN {maps}",
            configure=lambda budget, recipe: configure_cnn(size, budget, recipe),
        ),
    ]
    if size == 8:
        without = Setting(
            id=f"rl/{size}/vin-no-curriculum",
            about=f"VIN with K = {ITERATIONS[size]} {maps}, the hardest from the start",
            configure=lambda budget, recipe: configure_without_curriculum(size, budget, recipe),
        )
        found.append(without)
    return found


def table(runs: Sequence[FinishedRun]) -> str:
    """The appendix's table: ours beside the paper's."""
    return rl_table(RL.name, runs)


RL = Experiment(
    name="rl",
    paper="Appendix, Gridworld with Reinforcement Learning",
    settings={setting.id: setting for size in ITERATIONS for setting in _settings(size)},
    learn=train,
    table=table,
    judge=judge,
)
