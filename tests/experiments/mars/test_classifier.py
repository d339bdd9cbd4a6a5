"""The classifier learns the labels of cells, and the cost of its planner is chosen on validation terrain."""

from dataclasses import replace

import numpy as np
import torch

from helpers.terrain_problems import open_terrain, rough_terrain
from vinlab.domains.mars.expert import DemonstrationConfig, demonstrate
from vinlab.experiments.mars.classifier import CellDemonstrations, LabelConfig, tune_cost, validate_labels
from vinlab.experiments.mars.validation import reach_rate
from vinlab.networks.terrain.classifier import ObstacleClassifier, StraightLine
from vinlab.networks.terrain.configs import ClassifierConfig
from vinlab.networks.terrain.encoder import ImageLayers


def shown(problems):
    config = DemonstrationConfig(goals=2, mirror=False)
    return demonstrate(problems, config, rng=np.random.default_rng(0))


def test_every_cell_counts_once_in_the_loss_and_in_the_validation():
    cells, classifier = (
        CellDemonstrations(shown(rough_terrain())),
        ClassifierConfig(hidden=8).build().classifier,
    )
    assert cells.weights.tolist() == [64.0] * 12
    found = validate_labels(cells.patches, classifier.eval())
    loss = LabelConfig().build(classifier)(cells[range(12)]).item() / (12 * 64)
    assert abs(found.metrics["validation_loss"] - loss) < 1e-5
    assert found.score == -found.metrics["validation_loss"]


def test_the_cost_is_chosen_on_validation_terrain():
    classifier = ClassifierConfig(hidden=8).build().classifier
    planner = tune_cost(classifier, "soft", shown(open_terrain()))
    assert planner.caution.setting.item() == 0.25  # of equal ones the first: nothing is steep


def test_the_cost_is_high_enough_to_avoid_what_the_classifier_finds():
    """A classifier that is sure of a wall with one gap: the straight line stops at it, the tuned planner does not."""

    class Oracle(ObstacleClassifier):
        def forward(self, images):
            blocked = torch.full((len(images), 16, 16), -5.0)
            blocked[:, 1:, 8] = 5.0
            return blocked

    terrain = open_terrain()
    wall = terrain.obstacles.copy()
    wall[:, 1:, 8] = True
    demonstrations = shown(replace(terrain, obstacles=wall))
    for kind in ("hard", "soft"):
        planner = tune_cost(Oracle(image=ImageLayers(), hidden=1), kind, demonstrations)
        assert reach_rate(planner, demonstrations) == 1.0
    assert reach_rate(StraightLine(), demonstrations) < 0.8
