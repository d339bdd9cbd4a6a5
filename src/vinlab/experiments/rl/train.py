"""Training on grid-worlds by trial and error: maps in, a recorded run out."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from vinlab.domains.gridworld.problem import GridworldConfig, content_hash, content_keys
from vinlab.domains.holeworld.problem import HoleWorldBatch, sample_hole_problems, sample_worlds
from vinlab.experiments.base import TrainingRequest, seeded
from vinlab.experiments.gridworld.train import record_run
from vinlab.experiments.rl.evaluate import score, success_by_difficulty, validator
from vinlab.learners import distributed
from vinlab.learners.callbacks import Progress, RunLogger
from vinlab.learners.imitation import Best
from vinlab.learners.trpo.trpo import Draw, TrpoConfig, train_trpo
from vinlab.models import Model
from vinlab.networks.configs import network_to_plain
from vinlab.networks.grid.rl import PooledCnnConfig, ValueVinConfig
from vinlab.recording.finished_run import FinishedRun
from vinlab.types import GridProblems, InputError

TEST_STREAM, VALIDATION_STREAM, CRITIC_STREAM, SAMPLING_STREAM = 3016, 3017, 3018, 3019
"""Seeds of what does not depend on the seed of training, and of what should not depend on anything else."""


@dataclass(frozen=True)
class RlData:
    """Which problems to choose weights by and to be judged on; those to learn from are new in every iteration."""

    size: int
    validation_problems: int = 500
    test_problems: int = 1000
    per_difficulty: int = 200
    """How many problems of each difficulty are tried at the end."""


@dataclass(frozen=True)
class RlTraining:
    """All that settles a run."""

    network: ValueVinConfig | PooledCnnConfig
    data: RlData
    learning: TrpoConfig

    def to_plain(self) -> dict[str, Any]:
        """The same as a manifest holds it."""
        return {
            "network": network_to_plain(self.network),
            "data": asdict(self.data),
            "learning": asdict(self.learning),
        }


def make_test_problems(data: RlData) -> GridProblems:
    """The problems on which every network of this size is judged."""
    rng = np.random.default_rng([TEST_STREAM, data.size])
    return sample_hole_problems(GridworldConfig(size=data.size), data.test_problems, rng=rng)


def make_validation_problems(data: RlData, test: GridProblems) -> GridProblems:
    """The problems by which weights are chosen, none of them with a test map."""
    rng = np.random.default_rng([VALIDATION_STREAM, data.size])
    config = GridworldConfig(size=data.size)
    return sample_hole_problems(config, data.validation_problems, rng=rng, taken=set(content_keys(test)))


def judge(model: Model, problems: GridProblems | None, iterations: int | None) -> dict[str, Any]:
    """The scores of a trained model by the rules of this world, on the given problems or on the test ones."""
    given = make_test_problems(RlData(size=model.size)) if problems is None else problems
    used = iterations or model.iterations_for(given.obstacles.shape[1:])
    return score(model.network, given, rng=np.random.default_rng(SAMPLING_STREAM), iterations=used)


def drawing(config: RlTraining, taken: Collection[str]) -> Draw:
    """New maps for every iteration, none of them taken; starts are as far from the goal as the level allows."""
    maps, learning = GridworldConfig(size=config.data.size), config.learning

    def draw(level: int, rng: np.random.Generator) -> HoleWorldBatch:
        return sample_worlds(
            maps, learning.problems, episodes=learning.episodes, hardest=level, rng=rng, taken=taken
        )

    return draw


def build(config: ValueVinConfig | PooledCnnConfig, seed: int) -> tuple[Any, Any]:
    """Policy and critic, the critic from a stream of its own."""
    return seeded(seed, config.build), seeded(CRITIC_STREAM + seed, config.build_critic)


def train(config: RlTraining, request: TrainingRequest, *, progress: Progress) -> FinishedRun:
    """Learn by trial and error, keep the weights that do best on validation problems, judge them on test ones."""
    if distributed.world_size() > 1 or request.data is not None or request.device != "cpu":
        raise InputError("reinforcement learning runs in one process on the CPU and draws its own maps.")
    test = make_test_problems(config.data)
    validation = make_validation_problems(config.data, test)
    taken = {*content_keys(test), *content_keys(validation)}
    manifest = request.describe(config.to_plain(), content_hash(test))
    policy, critic = build(config.network, request.seed)

    def learn(record: RunLogger) -> Best:
        return train_trpo(
            policy,
            critic,
            drawing(config, taken),
            config.learning,
            seed=request.seed,
            validate=validator(validation),
            record=record,
            progress=progress,
        )

    def result(best: Best, seconds: float) -> dict[str, Any]:
        rng = np.random.default_rng([SAMPLING_STREAM, request.seed])
        return {
            "scores": score(policy, test, rng=rng),
            "success_by_difficulty": success_by_difficulty(
                policy, config.data.size, per_difficulty=config.data.per_difficulty
            ),
            "best_iteration": best.epoch + 1,
            "training_seconds": round(seconds, 1),
            "parameters": sum(weight.numel() for weight in policy.parameters()),
        }

    return record_run(manifest, request, policy, learn, result)
