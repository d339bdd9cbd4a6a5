"""Training on a site by imitation of shortest paths."""

from dataclasses import replace
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


def fit(config: WebTraining, data: WebSets, network: LinkPolicy, context: FitContext) -> Best:
    """Imitate the expert, one part of the network first where the setting says so."""
    return fit_stages(network, config, data.demonstrations, data.shown.view, partial(validate, data), context)


def fit_stages(
    network: LinkPolicy,
    config: Any,
    demonstrations: ClickDemonstrations,
    view: SiteView,
    validate: Validator,
    context: FitContext,
) -> Best:
    """Imitate the expert in one stage, or one part of the network alone before the whole."""

    def train(part: nn.Module, learning: ImitationConfig, logger: RunLogger) -> Best:
        options: dict[str, Any] = {**context.options, "record": logger, "validate": validate}
        return imitate(part, demonstrations, learning, loss=lambda policy: LinkLoss(policy, view), **options)

    first: FirstStage | None = config.first
    if first is None:
        return train(network, config.learning, context.logger)
    assert isinstance(network, LinkValueIterationNetwork)
    joint, alone = StageLogger(context.logger, "joint"), StageLogger(context.logger, first.part)
    if not joint.started and first.part == "plan":
        train(network.without_reactive_part(), first.learning, alone)
    elif not joint.started:
        iterations, network.planner.iterations = network.planner.iterations, 1
        train(network, first.learning, alone)
        network.planner.iterations = iterations
    if first.part == "reward":
        network.reward.requires_grad_(False)
    return train(network, config.learning, joint)
