"""Plans are PyTorch trees that torch.export knows, and demonstrations fit a DataLoader."""

import numpy as np
import torch
from torch.utils._pytree import tree_flatten, tree_map
from torch.utils.data import DataLoader

import vinlab
from vinlab.domains.gridworld.expert import demonstrate_everywhere
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.types import GraphPlan, Plan


def test_a_plan_is_a_tree_of_its_tensors():
    coarse = Plan(torch.zeros(1, 1, 2, 2), torch.zeros(1, 3, 2, 2), torch.ones(1, 1, 2, 2))
    plan = Plan(torch.zeros(1, 1, 4, 4), torch.zeros(1, 3, 4, 4), torch.ones(1, 1, 4, 4), coarse)
    doubled = tree_map(lambda tensor: 2 * tensor, plan)
    assert isinstance(doubled, Plan)
    assert doubled.value.sum() == 32
    assert doubled.coarser.value.sum() == 8
    graph = GraphPlan(torch.zeros(1, 4), torch.zeros(1, 5), torch.zeros(1, 4))
    assert [part.shape for part in tree_flatten(graph)[0]] == [(1, 4), (1, 5), (1, 4)]


class Planning(torch.nn.Module):
    def forward(self, reward: torch.Tensor) -> Plan:
        value = reward.amax(dim=1, keepdim=True)
        return Plan(reward, torch.cat([reward, value], dim=1), value)


def test_torch_export_gives_back_a_plan():
    # PyTorch 2.6 is strict by default, and then cannot follow the checks of types that the tests add.
    exported = torch.export.export(Planning(), (torch.zeros(1, 1, 3, 3),), strict=False)
    plan = exported.module()(torch.full((1, 1, 3, 3), 2.0))
    assert isinstance(plan, Plan)
    assert plan.value.sum() == 18


def test_a_data_loader_reads_demonstrations_in_batches():
    problems = sample_problems(GridworldConfig(8), 10, rng=np.random.default_rng(0))
    demonstrations = demonstrate_everywhere(problems)
    batches = list(DataLoader(demonstrations, batch_size=4, shuffle=True))
    assert [len(batch) for batch in batches] == [4, 4, 2]
    assert all(isinstance(batch, vinlab.Demonstrations) for batch in batches)
    seen = torch.cat([batch.observations for batch in batches]).flatten(1).sum(dim=1).sort()[0]
    torch.testing.assert_close(seen, demonstrations.observations.flatten(1).sum(dim=1).sort()[0])
    one = demonstrations[-1]
    assert len(one) == 1
    torch.testing.assert_close(one.observations, demonstrations.observations[-1:])
