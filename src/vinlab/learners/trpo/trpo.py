"""Trust-region policy optimisation (Schulman et al. 2015) with one plan per problem and iteration."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.evaluation.rollout import sample_actions
from vinlab.learners.callbacks import NullLogger, Progress, RunLogger, Validator, no_progress
from vinlab.learners.training_state import Best, EpochTraining
from vinlab.learners.trpo.advantages import Episodes, discounted_returns, generalised_advantages
from vinlab.learners.trpo.curriculum import Curriculum, CurriculumConfig
from vinlab.learners.trpo.trust_region import StepResult, TrustRegionConfig, trust_region_step
from vinlab.learners.trpo.visited_states import VisitedStates, VisitStatistics, aggregate, unique_states


@dataclass(frozen=True)
class TrpoConfig:
    """Settings of TRPO."""

    iterations: int
    curriculum: CurriculumConfig
    problems: int = 400
    """New problems per iteration."""
    episodes: int = 8
    """Episodes per problem; they share its plan."""
    horizon: int = 40
    """The number of moves after which an episode is truncated."""
    discount: float = 0.99
    gae_lambda: float = 0.95
    trust_region: TrustRegionConfig = field(default_factory=TrustRegionConfig)
    last_divergence: float | None = None
    """The bound on the KL divergence in the last iteration, to which it falls geometrically; None: constant."""
    critic_steps: int = 20
    critic_rate: float = 3e-3
    validate_every: int = 10

    def divergence_at(self, iteration: int) -> float:
        """The bound on the KL divergence in an iteration."""
        first, last = self.trust_region.divergence, self.last_divergence
        passed = iteration / max(1, self.iterations - 1)
        return first if last is None else first * (last / first) ** passed


@runtime_checkable
class Worlds(Protocol):
    """A batch of problems with several episodes each."""

    starts: np.ndarray
    """The initial states of the episodes, ``[B S 2]``."""

    @property
    def observations(self) -> Tensor:
        """The observation of each problem, ``[B C H W]``."""
        ...

    def step(self, states: np.ndarray, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The states that follow, the rewards, and which episodes terminate."""
        ...


Draw = Callable[[int, np.random.Generator], Worlds]
"""Samples new problems of a level of the curriculum."""


def train_trpo(
    policy: Any,
    critic: nn.Module,
    draw: Draw,
    config: TrpoConfig,
    *,
    seed: int,
    validate: Validator | None = None,
    record: RunLogger | None = None,
    progress: Progress = no_progress,
) -> Best:
    """Train the policy on reward and leave it with its best weights.

    The policy has ``plan(observations)``, ``act(plan, states)`` and ``critic_features(plan, states)``, the input of
    the critic. The random stream of an iteration depends on the seed and the iteration alone, so a resumed run gives
    the same weights.
    """
    training = TrpoTraining(policy, critic, draw, config, seed=seed, record=record or NullLogger())
    training.resume()
    while training.epoch < config.iterations:
        metrics = training.run_iteration()
        training.finish_epoch(metrics, validate)
        note = f"level {training.curriculum.level} return {metrics['mean_return']:.3f}"
        progress(training.epoch, config.iterations, note)
    return training.restore_best()


class TrpoTraining(EpochTraining):
    """The state of one training: an epoch is an iteration, the optimiser is the critic's."""

    unit: ClassVar[str] = "iteration"

    def __init__(
        self, policy: Any, critic: nn.Module, draw: Draw, config: TrpoConfig, *, seed: int, record: RunLogger
    ) -> None:
        super().__init__(policy, torch.optim.Adam(critic.parameters(), lr=config.critic_rate), record)
        self.policy: Any = policy
        self.critic = critic
        self.draw = draw
        self.config = config
        self.seed = seed
        self.parameters: list[nn.Parameter] = list(policy.parameters())
        self.curriculum = Curriculum(config.curriculum)

    def run_iteration(self) -> dict[str, Any]:
        """Collect episodes, estimate advantages, step the policy, fit the critic."""
        started = time.perf_counter()
        rng = np.random.default_rng([self.seed, self.epoch])
        level = self.curriculum.level
        worlds = self.draw(level, rng)
        observations = worlds.observations.to(self.parameters[0].device)
        plan = self.policy.plan(observations)  # shared by episodes, critic and gradient
        episodes = collect_episodes(self.policy, plan, worlds, self.config.horizon, rng=rng)
        visited = unique_states(episodes.states)
        with torch.no_grad():
            features = self.policy.critic_features(plan, visited.states)
        advantages, returns = self._advantages(features, episodes, visited)
        visits, mean_returns = aggregate(episodes, visited, advantages, returns)
        step = self._step_policy(observations, plan, visits)
        critic_loss = self._fit_critic(features, visits, mean_returns)
        mean_return = float(discounted_returns(episodes, self.config.discount).mean())
        self.curriculum.advance(mean_return)
        seconds = time.perf_counter() - started
        return {
            "level": level,
            "mean_return": mean_return,
            "success": float((episodes.ended & (episodes.rewards > 0)).any(axis=-1).mean()),
            "entropy": step.entropy,
            "divergence": step.divergence,
            "improvement": step.improvement,
            "search_attempts": step.backtracks,
            "refused": step.reason,
            "critic_loss": critic_loss,
            "steps": episodes.num_steps,
            "steps_per_second": episodes.num_steps / seconds,
        }

    @torch.no_grad()
    def _advantages(
        self, features: Tensor, episodes: Episodes, visited: VisitedStates
    ) -> tuple[np.ndarray, np.ndarray]:
        """The advantage of every move, normalised over the batch, and the lambda-return as the critic's target."""
        values = visited.spread(self.critic(features).cpu().numpy().astype(np.float64))
        advantages = generalised_advantages(
            episodes, values, discount=self.config.discount, gae_lambda=self.config.gae_lambda
        )
        made = advantages[episodes.made]
        return (advantages - made.mean()) / (made.std() + 1e-8), advantages + values[..., :-1]

    def _step_policy(self, observations: Tensor, plan: Any, visits: VisitStatistics) -> StepResult:
        bound = self.config.divergence_at(self.epoch)
        config = replace(self.config.trust_region, divergence=bound)

        def read(problems: slice, states: slice) -> Tensor:
            return self.policy.act(self.policy.plan(observations[problems]), visits.states[problems, states])

        return trust_region_step(self.policy.act(plan, visits.states), read, visits, self.parameters, config)

    def _fit_critic(
        self, features: Tensor, visits: VisitStatistics, mean_returns: Float[Tensor, "B S"]
    ) -> float:
        """The critic's mean squared error after some steps towards the mean returns of the visited states."""
        if not torch.isfinite(mean_returns).all():
            return math.nan
        weights, loss = visits.counts / visits.counts.sum(), torch.tensor(math.nan)
        for _ in range(self.config.critic_steps):
            loss = (weights * (self.critic(features) - mean_returns).square()).sum()
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()
            self.optimiser.step()
        return float(loss.detach())

    def is_validation_due(self) -> bool:
        """Every ``validate_every`` iterations and after the last."""
        done = self.epoch + 1
        return done % self.config.validate_every == 0 or done == self.config.iterations

    def modules(self) -> dict[str, nn.Module]:
        """Policy and critic."""
        return {**super().modules(), "critic": self.critic}

    def state(self) -> dict[str, Any]:
        """With the level of the curriculum."""
        return {**super().state(), "curriculum": self.curriculum.state()}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """With the level of the curriculum."""
        super().restore_state(state)
        self.curriculum.restore(state["curriculum"])


@torch.no_grad()
def collect_episodes(
    policy: Any, plan: Any, worlds: Worlds, horizon: int, *, rng: np.random.Generator
) -> Episodes:
    """Episodes with moves sampled from the policy, all read from one plan per problem."""
    states, going = worlds.starts, np.ones(worlds.starts.shape[:2], dtype=bool)
    passed, moves, rewards, made, ended = [states], [], [], [], []
    num_moves = 0
    for _ in range(horizon):
        running = np.flatnonzero(going.any(axis=1))  # the policy is asked for these problems alone
        active = torch.as_tensor(_active_states(states[running], going[running]))
        read = policy.act(plan[torch.as_tensor(running)], active).cpu().numpy()
        num_moves = read.shape[-1]
        logits = np.zeros((*going.shape, num_moves), read.dtype)
        logits[running] = read
        chosen = sample_actions(logits, rng)
        following, gained, over = worlds.step(states, chosen)
        states = np.where(going[..., None], following, states)
        passed.append(states)
        moves.append(chosen)
        rewards.append(np.where(going, gained, 0.0))
        made.append(going)
        ended.append(going & over)
        going = going & ~over
        if not going.any():
            break
    parts = (np.stack(part, axis=2) for part in (moves, rewards, made, ended))
    return Episodes(np.stack(passed, axis=2), *parts, num_moves=num_moves)


def _active_states(states: np.ndarray, going: np.ndarray) -> np.ndarray:
    """The states, with those of ended episodes replaced by one of an active episode of the same problem."""
    active = np.take_along_axis(states, going.argmax(axis=1)[:, None, None], axis=1)
    return np.where(going[..., None], states, active)
