"""Learning from reward by trust-region policy optimisation, with plans that all steps of a problem share."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.learners.callbacks import NullLogger, Progress, RunLogger, Validator, no_progress
from vinlab.learners.imitation import Best
from vinlab.learners.optimizers import optimiser_tensors, restore_optimiser
from vinlab.learners.trpo.advantages import Episodes, discounted_returns, generalised_advantages
from vinlab.learners.trpo.curriculum import Curriculum, CurriculumConfig
from vinlab.learners.trpo.trust_region import StepResult, TrustRegionConfig, trust_region_step
from vinlab.learners.trpo.visited_states import VisitedStates, VisitStatistics, aggregate, unique_states


@dataclass(frozen=True)
class TrpoConfig:
    """How to learn from reward."""

    iterations: int
    curriculum: CurriculumConfig
    problems: int = 400
    """How many new problems an iteration brings."""
    episodes: int = 8
    """How many episodes are tried on each; they share its plan."""
    horizon: int = 40
    """After so many moves an episode is cut off."""
    discount: float = 0.99
    gae_lambda: float = 0.95
    """Lambda of the generalised advantages."""
    trust_region: TrustRegionConfig = field(default_factory=TrustRegionConfig)
    last_divergence: float | None = None
    """What the bound falls to by the last iteration, geometrically; without it, the bound stays."""
    critic_steps: int = 20
    critic_rate: float = 3e-3
    validate_every: int = 10

    def divergence_at(self, iteration: int) -> float:
        """The bound of an iteration."""
        first, last = self.trust_region.divergence, self.last_divergence
        passed = iteration / max(1, self.iterations - 1)
        return first if last is None else first * (last / first) ** passed


@runtime_checkable
class Worlds(Protocol):
    """Problems to act in, each in several episodes at once."""

    starts: np.ndarray
    """Where the episodes begin, ``[B S 2]``."""

    @property
    def observations(self) -> Tensor:
        """What the policy sees of each problem, ``[B C H W]``."""
        ...

    def step(self, states: np.ndarray, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The states that follow, the rewards, and which episodes are over."""
        ...


Draw = Callable[[int, np.random.Generator], Worlds]
"""New problems of a level."""


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
    """Teach the policy by trial and error and leave it with its best weights.

    The policy has ``plan(observations)``, ``act(plan, states)`` and ``critic_features(plan, states)``, which gives
    what the critic sees of a state. All that is random in iteration
    i, the seed and i alone decide, so a run that is taken up from a checkpoint goes the way it would have gone.
    """
    training = Training(policy, critic, draw, config, seed=seed, record=record or NullLogger())
    training.resume()
    while training.iteration < config.iterations:
        metrics = training.run_iteration()
        training.finish_iteration(metrics, validate)
        note = f"level {training.curriculum.level} return {metrics['mean_return']:.3f}"
        progress(training.iteration, config.iterations, note)
    if training.best.weights:
        policy.load_state_dict(training.best.weights)
    return training.best


class Training:
    """The state of one training: weights, critic, level, iteration, best so far."""

    def __init__(
        self, policy: Any, critic: nn.Module, draw: Draw, config: TrpoConfig, *, seed: int, record: RunLogger
    ) -> None:
        self.policy = policy
        self.critic = critic
        self.draw = draw
        self.config = config
        self.seed = seed
        self.record = record
        self.parameters: list[nn.Parameter] = list(policy.parameters())
        self.optimiser = torch.optim.Adam(critic.parameters(), lr=config.critic_rate)
        self.curriculum = Curriculum(config.curriculum)
        self.iteration = 0
        self.best = Best()

    def run_iteration(self) -> dict[str, Any]:
        """Act, judge what was done, and improve policy and critic."""
        started = time.perf_counter()
        rng = np.random.default_rng([self.seed, self.iteration])
        level = self.curriculum.level
        worlds = self.draw(level, rng)
        observations = worlds.observations.to(self.parameters[0].device)
        plan = self.policy.plan(observations)  # the only one: to act, to judge and to learn from
        episodes = collect_episodes(self.policy, plan, worlds, self.config.horizon, rng=rng)
        sites = unique_states(episodes.states)
        with torch.no_grad():
            seen = self.policy.critic_features(plan, sites.states)
        advantages, targets = self._judge(seen, episodes, sites)
        visits, wanted = aggregate(episodes, sites, advantages, targets)
        step = self._improve(observations, plan, visits)
        critic_loss = self._fit_critic(seen, visits, wanted)
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
    def _judge(self, seen: Tensor, episodes: Episodes, sites: VisitedStates) -> tuple[np.ndarray, np.ndarray]:
        """The advantage of every move, scaled to unit deviation, and what the critic should have expected."""
        expected = self.critic(seen)
        values = sites.spread(expected.cpu().numpy().astype(np.float64))
        found = generalised_advantages(
            episodes, values, discount=self.config.discount, gae_lambda=self.config.gae_lambda
        )
        made = found[episodes.made]
        return (found - made.mean()) / (made.std() + 1e-8), found + values[..., :-1]

    def _improve(self, observations: Tensor, plan: Any, visits: VisitStatistics) -> StepResult:
        bound = self.config.divergence_at(self.iteration)
        config = replace(self.config.trust_region, divergence=bound)

        def read(chosen: slice) -> Tensor:
            return self.policy.act(self.policy.plan(observations[chosen]), visits.states[chosen])

        return trust_region_step(self.policy.act(plan, visits.states), read, visits, self.parameters, config)

    def _fit_critic(self, seen: Tensor, visits: VisitStatistics, wanted: Float[Tensor, "B S"]) -> float:
        """The critic's mean squared error after some steps towards the mean targets of the visited states."""
        if not torch.isfinite(wanted).all():
            return math.nan
        weights, loss = visits.counts / visits.counts.sum(), torch.tensor(math.nan)
        for _ in range(self.config.critic_steps):
            loss = (weights * (self.critic(seen) - wanted).square()).sum()
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()
            self.optimiser.step()
        return float(loss.detach())

    def finish_iteration(self, metrics: Mapping[str, Any], validate: Validator | None) -> None:
        """Look at the validation problems from time to time, keep the best weights, note all, make a checkpoint."""
        self.iteration += 1
        due = self.iteration % self.config.validate_every == 0 or self.iteration == self.config.iterations
        found = validate(self.policy) if validate is not None and due else None
        if validate is None or (found is not None and found.score >= self.best.score):
            weights = {name: tensor.detach().clone() for name, tensor in self.policy.state_dict().items()}
            self.best = Best(found.score if found else 0.0, self.iteration - 1, weights)
        self.record.log({"iteration": self.iteration, **metrics, **(found.metrics if found else {})})
        self.record.save_checkpoint(self._tensors(), self._state())

    def _tensors(self) -> dict[str, Tensor]:
        groups = {
            "weights": self.policy.state_dict(),
            "critic": self.critic.state_dict(),
            "best": self.best.weights,
            "optimiser": optimiser_tensors(self.optimiser),
        }
        return {
            f"{group}/{name}": entry for group, entries in groups.items() for name, entry in entries.items()
        }

    def _state(self) -> dict[str, Any]:
        return {
            "iteration": self.iteration,
            "curriculum": self.curriculum.state(),
            "best_score": self.best.score,
            "best_iteration": self.best.epoch,
        }

    def resume(self) -> None:
        """Take up the last checkpoint, if there is one."""
        found = self.record.load_checkpoint()
        if found is None:
            return
        tensors, state = found
        groups: dict[str, dict[str, Tensor]] = {"weights": {}, "critic": {}, "best": {}, "optimiser": {}}
        for key, tensor in tensors.items():
            group, name = key.split("/", 1)
            groups[group][name] = tensor
        self.policy.load_state_dict(groups["weights"])
        self.critic.load_state_dict(groups["critic"])
        restore_optimiser(self.optimiser, groups["optimiser"])
        self.curriculum.restore(state["curriculum"])
        self.iteration = state["iteration"]
        self.best = Best(state["best_score"], state["best_iteration"], groups["best"])


@torch.no_grad()
def collect_episodes(
    policy: Any, plan: Any, worlds: Worlds, horizon: int, *, rng: np.random.Generator
) -> Episodes:
    """Episodes in which every move is drawn from the policy, in whatever state of the plan it comes to."""
    logits = torch.empty(0)
    states, going = worlds.starts, np.ones(worlds.starts.shape[:2], dtype=bool)
    passed, moves, rewards, made, ended = [states], [], [], [], []
    for _ in range(horizon):
        logits = policy.act(plan, torch.as_tensor(_of_interest(states, going)))
        chosen = draw_moves(logits.cpu().numpy(), rng)
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
    return Episodes(np.stack(passed, axis=2), *parts, num_moves=logits.shape[-1])


def _of_interest(states: np.ndarray, going: np.ndarray) -> np.ndarray:
    """The states, with those of finished episodes replaced by one of the same problem that is still going."""
    one = np.take_along_axis(states, going.argmax(axis=1)[:, None, None], axis=1)
    return np.where(going[..., None], states, one)


def draw_moves(logits: Float[np.ndarray, "B S M"], rng: np.random.Generator) -> Int[np.ndarray, "B S"]:
    """A move for each state, as likely as the policy has it."""
    uniform = rng.random(logits.shape, dtype=np.float32)
    return (logits - np.log(-np.log(np.maximum(uniform, 1e-12)))).argmax(axis=-1)
