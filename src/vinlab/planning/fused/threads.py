"""Problems divided among threads, in shares that do not depend on the number of threads."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import torch

MAX_SHARES: Final = 32
MIN_WORK: Final = 50_000
"""Cells times backups below which starting a thread costs more than it saves."""


def shares_of(problems: int) -> list[tuple[int, int]]:
    """The first and last problem of each share; sums over shares do not depend on the number of threads."""
    length = max(1, -(-problems // MAX_SHARES))
    return [(first, min(first + length, problems)) for first in range(0, problems, length)]


def run_shares(
    kernel: Callable[..., Any], arguments: Sequence[Any], problems: int, work: int, *, by_share: bool = False
) -> None:
    """Call ``kernel(first, last, *arguments)`` for every share, on as many threads as PyTorch would use.

    ``work`` is that of all problems together; without any nothing is called. With ``by_share`` the number of the share
    comes first. The threads end with the call, so no pool is left for a fork to break. The compiled kernels release
    the GIL.
    """
    shares = (
        [(number, *ends)[not by_share :] for number, ends in enumerate(shares_of(problems))] if work else []
    )
    threads = min(torch.get_num_threads(), len(shares), 1 + work // MIN_WORK)
    remaining = iter(shares)

    def take_shares() -> None:
        for share in remaining:
            kernel(*share, *arguments)

    if threads <= 1:
        take_shares()
        return
    with ThreadPoolExecutor(threads - 1) as pool:
        others = [pool.submit(take_shares) for _ in range(threads - 1)]
        take_shares()
        for other in others:
            other.result()
