"""A bounded worker: one plan at a time, a short queue, and none for clients that have disconnected."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

QUEUE = 64
"""How many requests may wait; further ones are refused."""


class QueueFull(Exception):
    """The queue is full."""


class ClientDisconnected(Exception):
    """The client has disconnected."""


def _stay_on_one_core() -> None:
    """A plan is too small for several threads; waking them takes longer than the plan."""
    import torch

    torch.set_num_threads(1)


class PlanWorker:
    """Runs one job at a time in a thread; the other cores are left to the clients."""

    def __init__(self, *, queue: int = QUEUE) -> None:
        self._queue, self._waiting = queue, 0
        self._turn = asyncio.Lock()
        self._thread = ThreadPoolExecutor(
            max_workers=1, thread_name_prefix="plan", initializer=_stay_on_one_core
        )

    async def run(self, job: Callable[[], Any], is_disconnected: Callable[[], Awaitable[bool]]) -> Any:
        """The result of a job, when its turn has come."""
        if self._waiting >= self._queue:
            raise QueueFull
        self._waiting += 1
        try:
            async with self._turn:
                if await is_disconnected():
                    raise ClientDisconnected
                return await asyncio.get_running_loop().run_in_executor(self._thread, job)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Start no further job."""
        self._thread.shutdown(wait=False, cancel_futures=True)
