"""How fast the Mars networks train and plan: patches and plans a second, on one thread.

Prints one JSON object. ``shared`` encodes a patch once for all its goals; ``apart`` encodes it again for each.
"""

import json
import time
from collections.abc import Callable

import numpy as np
import torch

from vinlab.domains.mars.expert import DemonstrationConfig, TerrainDemonstrations, demonstrate
from vinlab.domains.mars.problem import MarsProblems
from vinlab.experiments.mars import EXPERIMENT
from vinlab.experiments.mars.settings import MarsTraining
from vinlab.learners.losses import DenseConfig, LossConfig, ReachConfig

PATCHES, BATCH, REPEATS = 64, 16, 5


def make_demonstrations(goals: int) -> TerrainDemonstrations:
    """Random images: only the time counts here."""
    rng = np.random.default_rng(0)
    obstacles = rng.random((PATCHES, 16, 16)) < 0.3
    obstacles[:, 8], obstacles[:, :, 8] = False, False
    ends = (np.tile([8, 0], (PATCHES, 1)), np.tile([0, 8], (PATCHES, 1)))
    images = rng.integers(0, 256, (PATCHES, 128, 128)).astype(np.uint8)
    problems = MarsProblems(images, obstacles, *ends, np.arange(PATCHES))
    return demonstrate(problems, DemonstrationConfig(goals=goals), rng=rng)


def rate(work: Callable[[np.ndarray], None]) -> float:
    """Patches a second, the best of some repeats after a warm-up."""
    batches = np.split(np.arange(PATCHES), PATCHES // BATCH)
    seconds = []
    for _ in range(REPEATS + 1):
        started = time.perf_counter()
        for batch in batches:
            work(batch)
        seconds.append(time.perf_counter() - started)
    return PATCHES / min(seconds[1:])


def configuration(id: str) -> MarsTraining:
    """The configuration of a setting at the paper's budget."""
    return EXPERIMENT.settings[id].configure("paper", "default")


def training_rate(id: str, loss: LossConfig, shown: TerrainDemonstrations) -> float:
    """Patches a second of forward, backward and step."""
    network = configuration(id).network.build()
    optimiser, objective = torch.optim.Adam(network.parameters(), lr=1e-4), loss.build(network)

    def update(chosen: np.ndarray) -> None:
        optimiser.zero_grad()
        objective(shown[chosen]).backward()
        optimiser.step()

    return rate(update)


def planning_rate(shown: TerrainDemonstrations) -> float:
    """Patches a second of a VIN that plans for all their goals."""
    network = configuration("mars/vin").network.build().eval()

    def plan(chosen: np.ndarray) -> None:
        with torch.no_grad():
            batch = shown[chosen]
            network.dense_logits(batch.observations, batch.goals)

    return rate(plan)


def main() -> None:
    """Measure and print."""
    torch.set_num_threads(1)
    config = configuration("mars/vin")
    goals, epochs = config.data.demonstrations.goals, config.stages[0].learning.epochs
    shared, apart = make_demonstrations(goals), make_demonstrations(1)
    imitation = training_rate("mars/vin", DenseConfig(), shared)
    alone = training_rate("mars/vin", DenseConfig(), apart)
    found = {
        "goals_per_patch": goals,
        "vin_training_patches_per_second": round(imitation, 1),
        "vin_training_plans_per_second_shared": round(goals * imitation, 1),
        "vin_training_plans_per_second_apart": round(alone, 1),
        "reach_training_patches_per_second": round(training_rate("mars/vin", ReachConfig(), shared), 1),
        "cnn_training_patches_per_second": round(training_rate("mars/cnn", DenseConfig(), shared), 1),
        "vin_planning_plans_per_second": round(goals * planning_rate(shared), 1),
        "vin_minutes_for_10000_patches": round(config.data.patches * epochs / imitation / 60, 1),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
