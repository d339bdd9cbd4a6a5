"""A bounded place of work: one plan at a time, a short queue, and no work for who has left."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

QUEUE = 64
"""How many requests may wait; the next one is told to come back."""


class QueueFull(Exception):
    """The queue is full."""


class ClientDisconnected(Exception):
    """Who asked has left."""


def _stay_on_one_core() -> None:
    """One plan is too small to share; waking other threads takes longer than the plan."""
    import numba
    import torch

    torch.set_num_threads(1)
    numba.set_num_threads(1)


class PlanWorker:
    """Runs one piece of work at a time in a thread; the other cores are left to those who ask."""

    def __init__(self, *, queue: int = QUEUE) -> None:
        self._queue, self._waiting = queue, 0
        self._turn = asyncio.Lock()
        self._thread = ThreadPoolExecutor(
            max_workers=1, thread_name_prefix="plan", initializer=_stay_on_one_core
        )

    async def run(self, work: Callable[[], Any], is_gone: Callable[[], Awaitable[bool]]) -> Any:
        """The result of the work when its turn has come."""
        if self._waiting >= self._queue:
            raise QueueFull
        self._waiting += 1
        try:
            async with self._turn:
                if await is_gone():
                    raise ClientDisconnected
                return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Begin nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)
