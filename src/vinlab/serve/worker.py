"""Bounded workers: one plan at a time in each lane, a short queue, and none for clients that have disconnected."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

QUEUE = 64
"""How many requests may wait in a lane; further ones are refused."""


class QueueFull(Exception):
    """The queue is full."""


class ClientDisconnected(Exception):
    """The client has disconnected."""


class Closing(Exception):
    """The page is being closed."""


class PlanWorker:
    """Runs one job at a time in a thread; the other cores are left to the clients."""

    def __init__(self, *, queue: int = QUEUE, name: str = "plan") -> None:
        self._queue, self._waiting, self._closing = queue, 0, False
        self._turn = asyncio.Lock()
        # A plan is too small for several threads; waking them takes longer than the plan.
        self._thread = ThreadPoolExecutor(1, name, initializer=torch.set_num_threads, initargs=(1,))

    async def run(self, job: Callable[[], Any], is_disconnected: Callable[[], Awaitable[bool]]) -> Any:
        """The result of a job, when its turn has come."""
        if self._closing:
            raise Closing
        if self._waiting >= self._queue:
            raise QueueFull
        self._waiting += 1
        try:
            async with self._turn:
                if self._closing:
                    raise Closing
                if await is_disconnected():
                    raise ClientDisconnected
                return await asyncio.get_running_loop().run_in_executor(self._thread, job)
        finally:
            self._waiting -= 1

    def stop(self) -> None:
        """Start no further job; those that wait are refused when the running one ends."""
        self._closing = True

    def close(self) -> None:
        """Give the thread back."""
        self.stop()
        self._thread.shutdown(wait=False, cancel_futures=True)


class Lanes:
    """A worker for small plans and one for all else, so that a large plan does not hold up the small ones."""

    def __init__(self, *, queue: int = QUEUE) -> None:
        self.small, self.large = PlanWorker(queue=queue), PlanWorker(queue=queue, name="large-plan")

    def stop(self) -> None:
        """Start no further job."""
        self.small.stop()
        self.large.stop()

    def close(self) -> None:
        """Give the threads back."""
        self.small.close()
        self.large.close()
