"""The grid-world by imitation: Section 4.1 and Table 1 of the paper."""

from collections.abc import Sequence
from dataclasses import replace

from vinlab.experiments.experiment import Budget, Experiment, Recipe, Setting, TrainingRequest
from vinlab.experiments.gridworld_training import GridworldData, GridworldTraining, train
from vinlab.experiments.scores_table import scores_table
from vinlab.learners.contract import Progress
from vinlab.learners.imitation import ImitationConfig
from vinlab.learners.optimisers import Stage
from vinlab.networks.presets import AuthorsVinConfig, VinConfig
from vinlab.recording.recorded import RecordedRun

ITERATIONS = {8: 10, 16: 20, 28: 36}
"""The paper's K by the side of the map."""


ATTEMPTS: dict[Budget, int] = {"smoke": 60, "small": 1000, "paper": 5000}


def default_recipe(size: int, budget: Budget) -> GridworldTraining:
    """What learns best and fastest: kernels that start as moves, all optimal moves as targets, one cycle of Adam."""
    epochs = {"smoke": 1, "small": 10, "paper": 20}[budget]
    return GridworldTraining(
        network=VinConfig(iterations=ITERATIONS[size]),
        data=GridworldData(size=size, attempts=ATTEMPTS[budget], targets="everywhere"),
        learning=ImitationConfig(stages=(Stage(epochs, 1e-2, "one-cycle"),), batch_problems=8),
    )


def paper_recipe(size: int, budget: Budget) -> GridworldTraining:
    """What the authors' code does: noise as a start, trajectory labels, RMSProp in four stages.

    All states of a map are read from one plan, where the authors took them ten at a time.
    """
    epochs = {"smoke": 1, "small": 5, "paper": 30}[budget]
    return GridworldTraining(
        network=AuthorsVinConfig(iterations=ITERATIONS[size]),
        data=GridworldData(size=size, attempts=ATTEMPTS[budget], targets="trajectories"),
        learning=ImitationConfig(
            stages=tuple(Stage(epochs, rate) for rate in (0.01, 0.005, 0.002, 0.001)),
            optimiser="rmsprop",
            batch_problems=12,
            clip=None,
        ),
    )


def configure(size: int, budget: Budget, recipe: Recipe) -> GridworldTraining:
    """The configuration of a VIN on maps of this size."""
    config = {"default": default_recipe, "paper": paper_recipe}[recipe](size, budget)
    if budget == "smoke":
        return replace(config, data=replace(config.data, validation_problems=20, test_problems=50))
    return config


def _setting(size: int) -> Setting:
    return Setting(
        id=f"gridworld/{size}/vin",
        about=f"VIN with K = {ITERATIONS[size]} on {size} x {size} maps with random obstacles",
        configure=lambda budget, recipe: configure(size, budget, recipe),
    )


def train_setting(request: TrainingRequest, progress: Progress) -> RecordedRun:
    """Train one of the settings and record it."""
    config = GRIDWORLD.setting(request.id).configure(request.budget, request.recipe)
    return train(config, request, progress=progress)


def table(runs: Sequence[RecordedRun]) -> str:
    """Table 1: ours beside the paper's."""
    return scores_table("Grid-world by imitation (Section 4.1, Table 1)", GRIDWORLD.name, runs)


GRIDWORLD = Experiment(
    name="gridworld",
    paper="Section 4.1, Table 1",
    settings={setting.id: setting for setting in map(_setting, ITERATIONS)},
    train=train_setting,
    table=table,
)
