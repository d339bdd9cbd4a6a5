"""Training on a site by imitation of shortest paths."""

from dataclasses import replace
from functools import partial

from torch import nn

from vinlab.experiments.base import FitContext, TrainingRequest
from vinlab.experiments.web.data import WebSets, load_site, make_sets
from vinlab.experiments.web.evaluate import validate
from vinlab.experiments.web.settings import FirstStage, WebTraining
from vinlab.experiments.web.view import view_for
from vinlab.learners.callbacks import RunLogger
from vinlab.learners.imitation import ImitationConfig, imitate
from vinlab.learners.link_loss import LinkLoss
from vinlab.learners.staged import StageLogger
from vinlab.learners.training_state import Best
from vinlab.networks.links.policies import LinkPolicy, LinkValueIterationNetwork


def make_data(config: WebTraining, request: TrainingRequest) -> WebSets:
    """The site and the sets of a run."""
    site, _ = load_site(config.data, request.data)
    view = view_for(config.network, site, config.data.graph)
    return make_sets(site, view, config.data, seed=request.seed)


def adapt(config: WebTraining, data: WebSets) -> WebTraining:
    """The dimension of the features is known from the site alone."""
    return replace(config, network=replace(config.network, dimension=data.view.dimension))


def fit(config: WebTraining, data: WebSets, network: LinkPolicy, context: FitContext) -> Best:
    """Imitate the expert, one part of the network first where the setting says so."""
    if config.first is None:
        return _imitate(network, config.learning, data, context, context.logger)
    assert isinstance(network, LinkValueIterationNetwork)
    joint = StageLogger(context.logger, "joint")
    if not joint.started:
        fit_part(network, config.first, data, context)
    if config.first.part == "reward":
        network.reward.requires_grad_(False)
    return _imitate(network, config.learning, data, context, joint)


def fit_part(
    network: LinkValueIterationNetwork, stage: FirstStage, data: WebSets, context: FitContext
) -> None:
    """Train one part of the network alone."""
    logger = StageLogger(context.logger, stage.part)
    if stage.part == "plan":
        _imitate(network.without_reactive_part(), stage.learning, data, context, logger)
        return
    iterations, network.planner.iterations = network.planner.iterations, 1
    _imitate(network, stage.learning, data, context, logger)
    network.planner.iterations = iterations


def _imitate(
    network: nn.Module, learning: ImitationConfig, data: WebSets, context: FitContext, logger: RunLogger
) -> Best:
    return imitate(
        network,
        data.demonstrations,
        learning,
        seed=context.seed,
        loss=lambda policy: LinkLoss(policy, data.view),
        validate=partial(validate, data),
        record=logger,
        progress=context.progress,
    )
