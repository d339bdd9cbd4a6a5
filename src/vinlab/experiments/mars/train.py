"""Training on patches of terrain: policies by imitation and by reaching the goal, the classifier by labels."""

from functools import partial

from vinlab.experiments.base import FitContext
from vinlab.experiments.mars.classifier import CellDemonstrations, tune_cost, validate_labels
from vinlab.experiments.mars.data import MarsSets
from vinlab.experiments.mars.settings import MarsTraining
from vinlab.experiments.mars.validation import tune_caution, validate
from vinlab.learners.staged import train_in_stages
from vinlab.learners.training_state import Best
from vinlab.networks.terrain.classifier import ClassifierPlanner
from vinlab.networks.terrain.costs import TerrainShortestPathVin
from vinlab.networks.terrain.policies import TerrainPolicy


def fit(config: MarsTraining, data: MarsSets, network: TerrainPolicy, context: FitContext) -> Best:
    """Train a policy, or the classifier of a planner; then choose how much the risk of a cell counts."""
    planner = network if isinstance(network, ClassifierPlanner) else None
    best = train_in_stages(
        network if planner is None else planner.classifier,
        data.demonstrations if planner is None else CellDemonstrations(data.demonstrations),
        config.stages,
        validate=partial(validate if planner is None else validate_labels, data.validation),
        **context.options,
    )
    if planner is not None:
        planner.caution = tune_cost(planner.classifier, "soft", data.validation).caution
    if isinstance(network, TerrainShortestPathVin):
        tune_caution(network, data.validation)
    return best
