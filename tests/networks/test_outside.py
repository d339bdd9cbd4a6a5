"""Networks with costs block what lies outside the map; those recorded before keep the paper's zero."""

import pytest
import torch

from vinlab.networks.configs import network_config
from vinlab.networks.grid.configs import VinConfig
from vinlab.networks.grid.cost_vin import CostVinConfig, HierarchicalCostVinConfig
from vinlab.recording.serialization import dataclass_to_plain


@pytest.mark.parametrize("config", [CostVinConfig(3), HierarchicalCostVinConfig((2, 3))])
def test_a_manifest_without_the_rule_means_zero(config):
    assert config.outside == config.build().planner.outside == "blocked"
    recorded = dataclass_to_plain(config)
    assert network_config(recorded) == config
    del recorded["outside"]
    old = network_config(recorded)
    assert old.outside == old.build().planner.outside == "zero"


def test_the_name_of_version_0_1_means_zero_too():
    assert network_config({"kind": "lossless-vin", "iterations": 3, "sharpness": 14.0}).outside == "zero"


def test_the_papers_network_has_zero_outside():
    network = VinConfig(iterations=3, hidden=4).build()
    assert network.planner.outside is None
    assert network.transition(torch.zeros(1)).outside == "zero"
