"""How fast the Mars networks learn and plan: patches and plans a second, on one thread.

Prints one JSON object. ``shared`` looks at a patch once for all its goals; ``apart`` looks again for each.
"""

import json
import time
from collections.abc import Callable

import numpy as np
import torch

from vinlab.domains.mars.expert import DemonstrationConfig, TerrainDemonstrations, demonstrate
from vinlab.domains.mars.patches import MarsProblems
from vinlab.experiments.mars import MARS
from vinlab.learners.arrival import ReachLoss
from vinlab.learners.losses import DenseLoss

PATCHES, BATCH, REPEATS = 64, 16, 5


def make_lessons(goals: int) -> TerrainDemonstrations:
    """Noise for pictures: only the time counts here."""
    rng = np.random.default_rng(0)
    obstacles = rng.random((PATCHES, 16, 16)) < 0.3
    obstacles[:, 8], obstacles[:, :, 8] = False, False
    ends = (np.tile([8, 0], (PATCHES, 1)), np.tile([0, 8], (PATCHES, 1)))
    images = rng.integers(0, 256, (PATCHES, 128, 128)).astype(np.uint8)
    problems = MarsProblems(images, obstacles, *ends, np.arange(PATCHES))
    return demonstrate(problems, DemonstrationConfig(goals=goals), rng=rng)


def rate(work: Callable[[np.ndarray], None]) -> float:
    """Patches a second, the best of some repeats after one to warm up."""
    batches = np.split(np.arange(PATCHES), PATCHES // BATCH)
    seconds = []
    for _ in range(REPEATS + 1):
        started = time.perf_counter()
        for batch in batches:
            work(batch)
        seconds.append(time.perf_counter() - started)
    return PATCHES / min(seconds[1:])


def training_rate(id: str, loss: type[torch.nn.Module], lessons: TerrainDemonstrations) -> float:
    """Patches a second of forward, backward and step."""
    network = MARS.setting(id).configure("paper", "default").network.build()
    optimiser, objective = torch.optim.Adam(network.parameters(), lr=1e-4), loss(network)

    def update(chosen: np.ndarray) -> None:
        optimiser.zero_grad()
        objective(lessons[chosen]).backward()
        optimiser.step()

    return rate(update)


def planning_rate(lessons: TerrainDemonstrations) -> float:
    """Patches a second of a trained VIN that plans for all their goals."""
    network = MARS.setting("mars/vin").configure("paper", "default").network.build().eval()

    def plan(chosen: np.ndarray) -> None:
        with torch.no_grad():
            lessons[chosen].logits(network)

    return rate(plan)


def main() -> None:
    """Measure and print."""
    torch.set_num_threads(1)
    config = MARS.setting("mars/vin").configure("paper", "default")
    goals, epochs = config.data.teaching.goals, config.learning.epochs
    shared, apart = make_lessons(goals), make_lessons(1)
    imitation = training_rate("mars/vin", DenseLoss, shared)
    alone = training_rate("mars/vin", DenseLoss, apart)
    found = {
        "goals_per_patch": goals,
        "vin_training_patches_per_second": round(imitation, 1),
        "vin_training_plans_per_second_shared": round(goals * imitation, 1),
        "vin_training_plans_per_second_apart": round(alone, 1),
        "arrival_training_patches_per_second": round(training_rate("mars/vin", ReachLoss, shared), 1),
        "cnn_training_patches_per_second": round(training_rate("mars/cnn", DenseLoss, shared), 1),
        "vin_planning_plans_per_second": round(goals * planning_rate(shared), 1),
        "vin_minutes_for_10000_patches": round(config.data.patches * epochs / imitation / 60, 1),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
