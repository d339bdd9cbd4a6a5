"""Data-parallel training in several processes: each takes a share of every batch, all hold the same weights."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.distributed as distributed


def rank() -> int:
    """The rank of this process; 0 where there is only one."""
    return distributed.get_rank() if _is_joined() else 0


def world_size() -> int:
    """The number of processes."""
    return distributed.get_world_size() if _is_joined() else 1


def _is_joined() -> bool:
    return distributed.is_available() and distributed.is_initialized()


@contextmanager
def joined_processes() -> Iterator[None]:
    """Join the processes that ``torchrun`` started; without it there is only this one."""
    if "WORLD_SIZE" not in os.environ or _is_joined():
        yield
        return
    distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield
    finally:
        distributed.destroy_process_group()


def wait_for_all() -> None:
    """Wait until every process is here."""
    if _is_joined():
        distributed.barrier()


def total(amount: float) -> float:
    """The sum over all processes."""
    if not _is_joined():
        return amount
    amounts = torch.tensor([amount], dtype=torch.float64)
    distributed.all_reduce(amounts)
    return float(amounts)
