"""TRPO as a whole: it learns, it resumes after a kill, and a failed step does not stop the run."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from vinlab.domains.gridworld.problem import GridworldConfig
from vinlab.domains.holeworld.problem import sample_worlds
from vinlab.learners.callbacks import NullLogger, Validation
from vinlab.learners.trpo.curriculum import CurriculumConfig
from vinlab.learners.trpo.trpo import TrpoConfig, TrpoTraining, collect_episodes, train_trpo
from vinlab.learners.trpo.trust_region import TrustRegionConfig
from vinlab.learners.trpo.visited_states import aggregate
from vinlab.networks.grid.rl import PooledCnnConfig, ValueVinConfig

CONFIG = TrpoConfig(
    iterations=3,
    curriculum=CurriculumConfig(last=4),
    problems=10,
    episodes=3,
    horizon=8,
    trust_region=TrustRegionConfig(divergence=0.03),
    last_divergence=0.01,
    validate_every=1,
)
VIN = ValueVinConfig(iterations=4, hidden=4)


def draw(level, rng):
    return sample_worlds(GridworldConfig(size=8), 10, episodes=3, hardest=level, rng=rng)


def built(config=VIN, seed=0):
    torch.manual_seed(seed)
    return config.build(), config.build_critic()


class Memory(NullLogger):
    """Keeps what a run's folder would, and may pull the plug."""

    def __init__(self, *, kill_after: int = 10**9) -> None:
        self.lines, self.kept, self.kill_after = [], None, kill_after

    def log(self, metrics):
        self.lines.append(dict(metrics))

    def save_checkpoint(self, tensors, state):
        self.kept = {name: tensor.clone() for name, tensor in tensors.items()}, dict(state)
        if state["epoch"] == self.kill_after:
            raise KeyboardInterrupt

    def load_checkpoint(self):
        return self.kept


def deterministic(lines):
    return [{k: v for k, v in line.items() if k != "steps_per_second"} for line in lines]


def test_a_killed_run_resumes_to_the_same_weights():
    def validate(_):
        return Validation(0.5, {"validation_success": 0.5})

    whole = Memory()
    policy, critic = built()
    train_trpo(policy, critic, draw, CONFIG, seed=3, record=whole, validate=validate)
    record = Memory(kill_after=2)
    killed, killed_critic = built()
    with pytest.raises(KeyboardInterrupt):
        train_trpo(killed, killed_critic, draw, CONFIG, seed=3, record=record, validate=validate)
    record.kill_after = 10**9
    again, again_critic = built(seed=9)  # other weights: all that matters comes from the checkpoint
    train_trpo(again, again_critic, draw, CONFIG, seed=3, record=record, validate=validate)
    assert deterministic(record.lines) == deterministic(whole.lines)
    for name, tensor in policy.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[name]), name
    for name, tensor in critic.state_dict().items():
        assert torch.equal(tensor, again_critic.state_dict()[name]), name


def test_a_checkpoint_keeps_the_level_the_optimiser_and_the_iteration():
    record, (policy, critic) = Memory(), built()
    before = TrpoTraining(policy, critic, draw, CONFIG, seed=0, record=record)
    before.curriculum.level, before.curriculum.iterations = 3, 2
    before.finish_epoch(before.run_iteration(), None)
    after = TrpoTraining(*built(seed=5), draw, CONFIG, seed=0, record=record)
    after.resume()
    assert (after.epoch, after.curriculum.state()) == (1, before.curriculum.state())
    moments = (t.optimiser.state_dict()["state"] for t in (before, after))
    for mine, theirs in zip(*(m.values() for m in moments), strict=True):
        assert all(torch.equal(mine[name], theirs[name]) for name in mine)


def test_rewards_that_are_not_numbers_stop_the_step_and_not_the_run():
    class Spoilt:
        def __init__(self, worlds, spoil):
            self.worlds, self.spoil, self.starts = worlds, spoil, worlds.starts
            self.observations = worlds.observations

        def step(self, states, moves):
            states, rewards, ended = self.worlds.step(states, moves)
            return states, rewards * np.nan if self.spoil else rewards, ended

    seen = []

    def spoilt(level, rng):
        seen.append(level)
        return Spoilt(draw(level, rng), spoil=len(seen) == 2)

    record, (policy, critic) = Memory(), built()
    train_trpo(policy, critic, spoilt, CONFIG, seed=0, record=record)
    reasons = [line["refused"] for line in record.lines]
    assert reasons[1] == "the gradient is not finite"
    assert reasons[0] == reasons[2] == ""
    assert np.isnan(record.lines[1]["critic_loss"])
    assert all(torch.isfinite(p).all() for p in [*policy.parameters(), *critic.parameters()])


def test_a_search_without_success_is_reported_and_changes_nothing():
    impossible = replace(CONFIG, trust_region=TrustRegionConfig(backtracks=0), iterations=1)
    record, (policy, critic) = Memory(), built()
    before = {name: tensor.clone() for name, tensor in policy.state_dict().items()}
    train_trpo(policy, critic, draw, impossible, seed=0, record=record)
    assert "no step" in record.lines[0]["refused"]
    assert all(torch.equal(tensor, before[name]) for name, tensor in policy.state_dict().items())


@pytest.mark.parametrize("config", [VIN, PooledCnnConfig.for_size(8)], ids=["vin", "cnn"])
def test_one_iteration_moves_every_parameter_within_the_bound(config):
    policy, critic = built(config)
    before = {name: p.detach().clone() for name, p in policy.named_parameters()}
    training = TrpoTraining(policy, critic, draw, CONFIG, seed=0, record=NullLogger())
    metrics = training.run_iteration()
    assert 0 < metrics["divergence"] <= CONFIG.trust_region.divergence
    assert [name for name, p in policy.named_parameters() if torch.equal(p, before[name])] == []


class Corridor:
    """East is right, everywhere and always."""

    def __init__(self, rng):
        self.starts = np.tile(rng.integers(0, 3, size=(10, 4, 1)), 2)
        self.observations = torch.zeros(10, 1, 3, 3)

    def step(self, states, moves):
        return states, np.where(moves == 2, 1.0, 0.0).astype(np.float32), np.ones(states.shape[:2], bool)


class Bandit(nn.Module):
    def __init__(self):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(4))

    def plan(self, observations):
        return observations

    def act(self, plan, states):
        return self.logits.expand(*states.shape[:2], 4)

    def critic_features(self, plan, states):
        return torch.ones(*states.shape[:2], 1)


def test_any_policy_in_any_world_learns_what_pays():
    policy, critic = Bandit(), nn.Sequential(nn.Linear(1, 1), nn.Flatten(1))
    config = replace(CONFIG, iterations=30, trust_region=TrustRegionConfig(divergence=0.05))
    train_trpo(policy, critic, lambda level, rng: Corridor(rng), config, seed=0)
    assert float(policy.logits.softmax(0)[2].detach()) > 0.95


def test_an_episode_ends_once_and_stays_where_it_ended():
    policy, _ = built()
    worlds = draw(4, np.random.default_rng(0))
    episodes = collect_episodes(
        policy, policy.plan(worlds.observations), worlds, 8, rng=np.random.default_rng(1)
    )
    assert (episodes.ended.sum(axis=-1) <= 1).all()
    after = np.cumsum(episodes.ended, axis=-1) - episodes.ended > 0
    assert not episodes.made[after].any()
    still = episodes.states[..., 1:, :][after] == episodes.states[..., :-1, :][after]
    assert still.all()
    assert (episodes.rewards[after] == 0).all()


def test_the_policy_is_asked_for_the_problems_with_an_active_episode_alone():
    asked = []

    class Counting(Bandit):
        def act(self, plan, states):
            asked.append(len(plan))
            return super().act(plan, states)

    worlds = draw(4, np.random.default_rng(0))
    policy = Counting()
    episodes = collect_episodes(policy, worlds.observations, worlds, 8, rng=np.random.default_rng(1))
    assert asked == [int(active.any(axis=-1).sum()) for active in np.moveaxis(episodes.made, 2, 0)]
    assert asked[-1] < asked[0] == 10


def test_the_last_iteration_is_validated_whenever_the_others_are():
    asked = []

    def validate(_):
        asked.append(len(asked))
        return Validation(float(len(asked)), {})

    policy, critic = built()
    config = replace(CONFIG, iterations=3, validate_every=2)
    best = train_trpo(policy, critic, draw, config, seed=0, validate=validate)
    assert len(asked) == 2  # after the second iteration and after the last
    assert best.score == 2.0


def test_advantages_have_mean_0_and_standard_deviation_1_over_the_moves_that_were_made(monkeypatch):
    seen = []

    def keep(episodes, visited, advantages, returns):
        seen.append(advantages[episodes.made])
        return aggregate(episodes, visited, advantages, returns)

    monkeypatch.setattr("vinlab.learners.trpo.trpo.aggregate", keep)
    policy, critic = built()
    TrpoTraining(policy, critic, draw, CONFIG, seed=0, record=NullLogger()).run_iteration()
    assert seen[0].mean() == pytest.approx(0, abs=1e-6)
    assert seen[0].std() == pytest.approx(1, abs=1e-4)


def test_the_metrics_of_an_iteration_are_those_of_its_episodes(monkeypatch):
    seen = []

    def keep(*arguments, **options):
        seen.append(collect_episodes(*arguments, **options))
        return seen[0]

    monkeypatch.setattr("vinlab.learners.trpo.trpo.collect_episodes", keep)
    policy, critic = built()
    config = replace(CONFIG, horizon=20)
    found = TrpoTraining(policy, critic, draw, config, seed=3, record=NullLogger()).run_iteration()
    episodes, level = seen[0], CurriculumConfig(last=4).first
    reached = returned = moves = 0.0
    for problem, episode in np.ndindex(episodes.moves.shape[:2]):
        rewards, made = episodes.rewards[problem, episode], episodes.made[problem, episode]
        reached += any(rewards[episodes.ended[problem, episode]] > 0)
        returned += sum(0.99**step * gain for step, gain in enumerate(rewards))
        moves += made.sum()
    assert 0 < reached < 30
    assert found["success"] == pytest.approx(reached / 30)
    assert found["mean_return"] == pytest.approx(returned / 30)
    assert found["steps"] == moves
    assert found["level"] == level
    assert 0 < found["entropy"] <= np.log(8)
    assert 0 < found["divergence"] <= 0.03
