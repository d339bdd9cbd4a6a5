"""Training on a site by imitation of shortest paths."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from torch import nn

from vinlab.domains.web.corpus import hide_articles
from vinlab.domains.web.demonstrations import ClickDemonstrations
from vinlab.domains.web.problem import PARTS
from vinlab.domains.web.site import Site
from vinlab.experiments.base import FitContext, TrainingRequest
from vinlab.experiments.web.data import (
    Shown,
    WebSets,
    load_corpus,
    load_site,
    make_sets,
    make_site,
    page_split,
)
from vinlab.experiments.web.evaluate import validate
from vinlab.experiments.web.settings import FirstStage, WebTraining
from vinlab.experiments.web.view import view_for
from vinlab.learners.callbacks import RunLogger, Validator
from vinlab.learners.imitation import ImitationConfig, imitate
from vinlab.learners.losses import LinkLoss
from vinlab.learners.staged import StageLogger
from vinlab.learners.training_state import Best
from vinlab.networks.links.policies import LinkPolicy, LinkValueIterationNetwork
from vinlab.networks.links.view import SiteView


def make_data(config: WebTraining, request: TrainingRequest) -> WebSets:
    """The site and the sets of a run."""
    data = config.data
    site, _ = load_site(data, request.data)
    view = view_for(config.network, site, data.graph)
    shown = show_site(config, site, request.data) if data.hides_test_pages else None
    return make_sets(site, view, data, seed=request.seed, shown=shown)


def show_site(config: WebTraining, site: Site, source: Path | None) -> Shown:
    """The site without the test pages: its features are made anew from the texts that are left."""
    corpus, pages = hide_articles(
        load_corpus(config.data.encyclopedia, source), page_split(site) == PARTS.index("test")
    )
    shown, _ = make_site(config.data, corpus)
    return Shown(shown, view_for(config.network, shown, config.data.graph), pages)


def adapt(config: Any, data: Any) -> Any:
    """The dimension of the features is known from the site alone."""
    return replace(config, network=replace(config.network, dimension=data.view.dimension))


@dataclass(frozen=True)
class TrainingData:
    """What a network is trained on, and how its weights are chosen."""

    demonstrations: ClickDemonstrations
    view: SiteView
    validate: Validator


def fit(config: WebTraining, data: WebSets, network: LinkPolicy, context: FitContext) -> Best:
    """Imitate the expert, one part of the network first where the setting says so."""
    training = TrainingData(data.demonstrations, data.shown.view, partial(validate, data))
    return fit_stages(network, config.learning, config.first, training, context)


def fit_stages(
    network: LinkPolicy,
    learning: ImitationConfig,
    first: FirstStage | None,
    training: TrainingData,
    context: FitContext,
) -> Best:
    """Imitate the expert in one stage, or one part of the network alone before the whole."""
    if first is None:
        return _imitate(network, learning, training, context, context.logger)
    assert isinstance(network, LinkValueIterationNetwork)
    joint = StageLogger(context.logger, "joint")
    if not joint.started:
        fit_part(network, first, training, context)
    if first.part == "reward":
        network.reward.requires_grad_(False)
    return _imitate(network, learning, training, context, joint)


def fit_part(
    network: LinkValueIterationNetwork, stage: FirstStage, training: TrainingData, context: FitContext
) -> None:
    """Train one part of the network alone."""
    logger = StageLogger(context.logger, stage.part)
    if stage.part == "plan":
        _imitate(network.without_reactive_part(), stage.learning, training, context, logger)
        return
    iterations, network.planner.iterations = network.planner.iterations, 1
    _imitate(network, stage.learning, training, context, logger)
    network.planner.iterations = iterations


def _imitate(
    network: nn.Module,
    learning: ImitationConfig,
    training: TrainingData,
    context: FitContext,
    logger: RunLogger,
) -> Best:
    return imitate(
        network,
        training.demonstrations,
        learning,
        seed=context.seed,
        loss=lambda policy: LinkLoss(policy, training.view),
        validate=training.validate,
        record=logger,
        progress=context.progress,
    )
