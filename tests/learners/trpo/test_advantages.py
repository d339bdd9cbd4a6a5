"""Advantages against sums written out by hand."""

import numpy as np

from vinlab.learners.trpo.advantages import Episodes, discounted_returns, generalised_advantages


def random_episodes(rng: np.random.Generator, times: int = 7) -> Episodes:
    """Two problems with three episodes each; some end, others run out of time."""
    lengths = rng.integers(1, times + 1, size=(2, 3))
    made = np.arange(times) < lengths[..., None]
    last = np.arange(times) == lengths[..., None] - 1
    ended = last & (rng.random((2, 3)) < 0.5)[..., None]
    return Episodes(
        states=rng.integers(0, 5, size=(2, 3, times + 1, 2)),
        moves=rng.integers(0, 4, size=(2, 3, times)),
        rewards=np.where(made, rng.normal(size=(2, 3, times)), 0.0),
        made=made,
        ended=ended,
        num_moves=4,
    )


def by_definition(rewards, values, ended, discount, gae_lambda):
    """The sum over all later steps of (discount trace)^k times that step's surprise."""
    count = len(rewards)
    following = [0.0 if ended[t] else values[t + 1] for t in range(count)]
    surprises = [rewards[t] + discount * following[t] - values[t] for t in range(count)]
    return [
        sum((discount * gae_lambda) ** (k - t) * surprises[k] for k in range(t, count)) for t in range(count)
    ]


def test_advantages_are_the_sums_of_their_definition():
    rng = np.random.default_rng(0)
    for _ in range(5):
        episodes = random_episodes(rng)
        values = rng.normal(size=(2, 3, 8))
        found = generalised_advantages(episodes, values, discount=0.9, gae_lambda=0.8)
        for problem, episode in np.ndindex(2, 3):
            length = int(episodes.made[problem, episode].sum())
            expected = by_definition(
                episodes.rewards[problem, episode, :length],
                values[problem, episode],
                episodes.ended[problem, episode, :length],
                0.9,
                0.8,
            )
            np.testing.assert_allclose(found[problem, episode, :length], expected)
            assert (found[problem, episode, length:] == 0).all()


def test_full_trace_is_the_return_and_its_bootstrap_minus_the_value():
    rng = np.random.default_rng(1)
    episodes, values = random_episodes(rng), rng.normal(size=(2, 3, 8))
    found = generalised_advantages(episodes, values, discount=0.9, gae_lambda=1.0)
    lengths = episodes.made.sum(axis=-1)
    last = np.take_along_axis(values, lengths[..., None], axis=-1)[..., 0]
    going_on = ~episodes.ended.any(axis=-1)
    expected = discounted_returns(episodes, 0.9) + going_on * 0.9**lengths * last - values[..., 0]
    np.testing.assert_allclose(found[..., 0], expected)
