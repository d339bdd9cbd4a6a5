"""Standard errors of means over correlated problems: whole blocks are resampled, not single problems."""

import numpy as np
from jaxtyping import Float, Int


def block_means(
    values: Float[np.ndarray, " N"],
    block_ids: Int[np.ndarray, " N"],
    *,
    rng: np.random.Generator,
    draws: int = 2000,
) -> Float[np.ndarray, " draws"]:
    """The means over resampled problems: each draw takes as many blocks as there are, with replacement."""
    _, index = np.unique(block_ids, return_inverse=True)
    sums, counts = np.bincount(index, weights=values), np.bincount(index)
    times = rng.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=draws)
    return (times @ sums) / (times @ counts)


def block_error(
    values: Float[np.ndarray, " N"], block_ids: Int[np.ndarray, " N"], *, rng: np.random.Generator
) -> float:
    """The standard error of the mean over blocks of problems."""
    return float(block_means(values, block_ids, rng=rng).std(ddof=1))
