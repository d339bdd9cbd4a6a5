"""Mars: finding a way over ground that only an image from above shows. Section 4.2 of the paper."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vinlab.domains.mars.expert import DemonstrationConfig
from vinlab.domains.mars.problem import MarsProblems, Protocol
from vinlab.domains.mars.terrain.synthetic import SyntheticConfig
from vinlab.experiments.base import Budget, Experiment, Recipe, Setting
from vinlab.experiments.mars.evaluate import evaluate_policy
from vinlab.experiments.mars.table import mars_table
from vinlab.experiments.mars.train import MarsData, MarsTraining, SecondStage, make_sets, train
from vinlab.learners.arrival import ReachConfig
from vinlab.learners.imitation import ImitationConfig
from vinlab.learners.optimizers import Stage
from vinlab.models import Model
from vinlab.networks.terrain.configs import (
    ClassifierConfig,
    MarsNetworkConfig,
    TerrainCnnConfig,
    TerrainVinConfig,
)
from vinlab.networks.terrain.policies import TerrainPolicy
from vinlab.recording.finished_run import FinishedRun
from vinlab.types import GridProblems, InputError

ABOUT = {
    "vin": "VIN that sees an image of the ground, by imitation",
    "vin-arrival": "the same VIN, by imitation and then by maximising the chance of arriving",
    "cnn": "reactive CNN that sees the same image, by imitation",
    "classifier": "classifier of steep cells with a shortest-path planner on its map, soft and hard",
}
PROTOCOLS: dict[Protocol, tuple[str, str]] = {
    "disjoint": ("", "test ground apart from training ground"),
    "overlapping": ("overlapping/", "test patches that overlap with training patches"),
}
EPOCHS = {"vin": 2, "vin-arrival": 1, "cnn": 2, "classifier": 1}
"""Over all patches, at the budget ``paper``; ground repeats itself in patches that overlap, so few suffice."""
PATCHES: dict[Budget, int] = {"smoke": 40, "small": 1000, "paper": 10_000}


def one_cycle(epochs: int, rate: float) -> ImitationConfig:
    """One rise and fall of Adam's rate."""
    return ImitationConfig(stages=(Stage(epochs, rate, "one-cycle"),), batch_problems=16)


def network_of(name: str, recipe: Recipe) -> MarsNetworkConfig:
    """The network of a row; all of them have the paper's image layers."""
    flip_average = recipe == "default"
    if name == "cnn":
        return TerrainCnnConfig()
    if name == "classifier":
        return ClassifierConfig(flip_average=flip_average)
    return TerrainVinConfig(
        initialisation="random" if recipe == "paper" else "moves", flip_average=flip_average
    )


def configure(name: str, protocol: Protocol, budget: Budget, recipe: Recipe) -> MarsTraining:
    """The configuration of a setting: ``paper`` begins with noise and learns from seven ways on each patch."""
    teaching = (
        DemonstrationConfig(goals=1, trajectories=7, mirror=False)
        if recipe == "paper"
        else DemonstrationConfig()
    )
    data = MarsData(protocol=protocol, patches=PATCHES[budget], teaching=teaching)
    if budget == "smoke":
        small = SyntheticConfig(side=256, largest_crater=20.0)
        data = replace(data, validation_problems=10, test_problems=20, terrains=4, synthetic=small)
    learning = one_cycle(EPOCHS[name] if budget == "paper" else 1, 5e-3)
    # A higher rate than this forgets in the second stage what imitation taught.
    arrival = SecondStage(ReachConfig(), one_cycle(1, 2e-3))
    second = arrival if name == "vin-arrival" else None
    return MarsTraining(network_of(name, recipe), data, learning, second)


def _setting(name: str, protocol: Protocol) -> Setting:
    prefix, ground = PROTOCOLS[protocol]
    return Setting(
        id=f"mars/{prefix}{name}",
        about=f"{ABOUT[name]}; {ground}",
        configure=lambda budget, recipe: configure(name, protocol, budget, recipe),
    )


def judge(
    model: Model, problems: GridProblems | MarsProblems | None, iterations: int | None
) -> Mapping[str, Any]:
    """The scores of a trained model on given ground, or on the synthetic test ground."""
    if isinstance(problems, GridProblems):
        raise InputError(f"{model.id} sees images of the ground, but the problems hold none.")
    assert isinstance(model.network, TerrainPolicy)
    given = make_sets(MarsData("disjoint"), None, seed=0).test if problems is None else problems
    scores = evaluate_policy(model.network, given, iterations=iterations).to_plain()
    return {name: value for name, value in scores.items() if name != "reached"}


def table(runs: Sequence[FinishedRun]) -> str:
    """The paper's table, for every ground that was tried."""
    return mars_table(runs)


MARS = Experiment(
    name="mars",
    paper="Section 4.2",
    settings={
        setting.id: setting
        for setting in (_setting(name, protocol) for protocol in PROTOCOLS for name in ABOUT)
    },
    learn=train,
    table=table,
    judge=judge,
)
