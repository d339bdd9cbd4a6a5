"""Environments and data in worker processes, which plan although this process has planned before them."""

import gymnasium
import numpy as np
from torch.utils.data import DataLoader, Dataset

from vinlab.domains.gridworld.expert import solve
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems

SIZE, WORKERS, STEPS = 8, 2, 20


class SolvedMaps(Dataset):
    """Random maps that are drawn and solved when they are asked for, in whichever process that is."""

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> tuple[np.ndarray, float]:
        problem = sample_problems(GridworldConfig(SIZE), 1, rng=np.random.default_rng(index))
        costs = solve(problem).costs[0]
        return costs.astype(np.float32), float(costs[tuple(problem.starts[0])])


def lengths_by_workers() -> np.ndarray:
    """The length of the shortest path on each map."""
    loader = DataLoader(SolvedMaps(), batch_size=8, num_workers=WORKERS)
    return np.concatenate([lengths.numpy() for _, lengths in loader])


def rewards_by_workers() -> np.ndarray:
    """The sum of the rewards of random moves, in environments that run beside this process."""
    worlds = gymnasium.make_vec("vinlab.envs:vinlab/GridWorld-v0", WORKERS, "async")
    worlds.reset(seed=0)
    worlds.action_space.seed(0)
    rewards = sum(worlds.step(worlds.action_space.sample())[1] for _ in range(STEPS))
    worlds.close()
    return np.asarray(rewards)


def main() -> None:
    own = np.array([SolvedMaps()[index][1] for index in range(32)])
    found = lengths_by_workers()
    print(f"{WORKERS} workers solved {len(found)} maps; the mean length is {found.mean():.2f} moves.")
    print(f"They agree with this process: {np.allclose(own, found)}.")
    print(f"{STEPS} random moves in {WORKERS} environments earned {rewards_by_workers().round(2)}.")


if __name__ == "__main__":
    main()
